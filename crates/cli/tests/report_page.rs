//! The page in a browser: figures have a size, lines have a length, nothing is logged as an error. Light, dark, wide and
//! narrow.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{file, folder, idpas, run};

const STUDY: &str = r#"name = "page"
time_limit = 0.5
methods = ["solver", "zero-frequency", "oracle"]
[collect]
time_limit = 20
nodes = 3
rounds = 2
[tune]
grid = "off"
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 2
test = 2
"#;

/// Writes what a reader would see into the document: sizes of figures, lengths of lines, whether the page is too wide.
const PROBE: &str = "<script>addEventListener('load',()=>{const s=[...document.querySelectorAll('svg')];\
document.body.dataset.figures=s.length;\
document.body.dataset.flat=s.filter(f=>{const b=f.getBoundingClientRect();return b.width<200||b.height<100}).length;\
document.body.dataset.empty=s.filter(f=>![...f.querySelectorAll('path.l,circle')].some(p=>(p.getTotalLength?p.getTotalLength():0)>0)).length;\
document.body.dataset.wide=document.documentElement.scrollWidth>innerWidth+1;\
document.body.dataset.back=getComputedStyle(document.body).backgroundColor;});</script></body>";

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let paths = std::env::var_os("PATH")?;
    let all = std::env::split_paths(&paths).flat_map(|folder| names.map(|name| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

/// The document after it was shown, and what the browser logged.
fn shown(browser: &Path, page: &Path, profile: &Path, size: &str, dark: bool) -> (String, String) {
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
    ]);
    command.args([
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]);
    command.arg(format!("--user-data-dir={}", profile.display()));
    command.args([
        "--enable-logging=stderr",
        "--dump-dom",
        "--virtual-time-budget=5000",
    ]);
    command.arg(format!("--window-size={size}"));
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    let output = command
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("a browser");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn figures_are_drawn_and_nothing_is_wrong() {
    let Some(browser) = browser() else {
        return idpas_testing::skip("no browser (chromium, google-chrome) is installed");
    };
    let folder = folder();
    let study = file(&folder, "study.toml", STUDY);
    let (results, page) = (
        folder.path().join("results"),
        folder.path().join("report.html"),
    );
    let mut evaluate = idpas();
    evaluate.timeout(std::time::Duration::from_secs(300));
    run(
        evaluate
            .arg("evaluate")
            .arg(&study)
            .arg("--out")
            .arg(&results),
        0,
    );
    run(
        idpas().arg("report").arg(&results).arg("--out").arg(&page),
        0,
    );
    let text = std::fs::read_to_string(&page).expect("a page");
    let figures = text.matches("<svg").count();
    assert!(figures >= 4, "{figures}");
    std::fs::write(&page, text.replace("</body>", PROBE)).expect("a page with a probe");
    let profile = folder.path().join("profile");
    for (size, dark, back) in [
        ("1280,900", false, "rgb(255, 255, 255)"),
        ("1280,900", true, "rgb(20, 22, 26)"),
        ("500,900", true, "rgb(20, 22, 26)"),
    ] {
        let (document, log) = shown(&browser, &page, &profile, size, dark);
        for expected in [
            format!("data-figures=\"{figures}\""),
            "data-flat=\"0\"".into(),
            "data-empty=\"0\"".into(),
            "data-wide=\"false\"".into(),
            format!("data-back=\"{back}\""),
        ] {
            let body = document.find("<body").map_or("no body", |at| {
                let rest = &document[at..];
                &rest[..rest.find('>').unwrap_or(rest.len())]
            });
            assert!(
                document.contains(&expected),
                "{size} {dark}: expected {expected} in {body}\n{log}"
            );
        }
        assert!(!log.contains("CONSOLE"), "{log}");
    }
}
