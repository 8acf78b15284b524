//! The page in a browser: figures have a size, lines have a length, nothing is logged as an error. Light, dark, wide and
//! narrow. Names that are HTML do nothing.

mod common;

use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{file, folder, hostile, idpas, run};

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

/// The page as it would be without the policy that lets it run and load nothing.
fn without_policy(page: &str) -> String {
    let policy = "http-equiv=\"Content-Security-Policy\"";
    assert_eq!(page.matches(policy).count(), 1);
    page.replace(policy, "name=\"none\"")
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
    evaluate.timeout(Duration::from_secs(300));
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
    let probed = without_policy(&text).replace("</body>", PROBE);
    std::fs::write(&page, probed).expect("a page with a probe");
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

/// The address of a server that counts requests and closes each connection. A connection without a request, which browsers make
/// before they ask their policy, does not count.
fn server() -> (String, Arc<AtomicUsize>) {
    let server = TcpListener::bind("127.0.0.1:0").expect("a server");
    let url = format!("http://{}/owned", server.local_addr().expect("a port"));
    let requests = Arc::new(AtomicUsize::new(0));
    let count = requests.clone();
    std::thread::spawn(move || {
        for mut client in server.incoming().flatten() {
            let _ = client.set_read_timeout(Some(Duration::from_millis(500)));
            if client.read(&mut [0; 1]).is_ok_and(|bytes| bytes > 0) {
                count.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    (url, requests)
}

/// HTML that calls a server and changes the title, in the ways of getting out of texts, titles, styles, attributes and figures.
fn attacks(url: &str) -> [String; 5] {
    [
        "</title><script>document.title='owned'</script>".into(),
        format!("<img src=\"{url}\" onerror=\"document.title='owned'\">"),
        format!("\"><svg onload=\"document.title='owned';fetch('{url}')\">\u{202e}"),
        format!("'><script>document.title='owned';fetch('{url}')</script>"),
        format!("</style></text></svg><iframe src=\"{url}\">"),
    ]
}

#[test]
fn names_that_are_html_do_nothing() {
    let Some(browser) = browser() else {
        return idpas_testing::skip("no browser (chromium, google-chrome) is installed");
    };
    let folder = folder();
    let (url, requests) = server();
    let attacks = attacks(&url);
    let quoted = attacks
        .clone()
        .map(|name| serde_json::Value::from(name).to_string());
    let [name, about, benchmark, first, second] = &quoted;
    let study = format!(
        "name = {name}\nabout = {about}\ntime_limit = 1\n[[method]]\nlabel = {first}\nmethod = \"solver\"\n\
         [[method]]\nlabel = {second}\nmethod = \"solver\"\n\
         [[benchmark]]\nname = {benchmark}\ninstances = \"in\"\ntest = 2\n"
    );
    file(&folder, "study.toml", study);
    hostile::instances(&folder.path().join("in"), hostile::TEXT, 2);
    for words in [
        ["evaluate", "study.toml", "--out", "r"],
        ["report", "r", "--out", "page.html"],
    ] {
        run(idpas().current_dir(&folder).args(words), 0);
    }
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    for tag in ["<script", "<img", "<iframe", "<svg onload", "\u{202e}"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;script&gt;") && page.contains("&lt;iframe"));

    let profile = folder.path().join("profile");
    let is_harmless = |content: &str| {
        let path = file(&folder, "shown.html", content);
        let (document, _) = shown(&browser, &path, &profile, "1280,900", false);
        assert!(document.contains("<title>"), "{document}");
        !document.contains("<title>owned</title>") && requests.swap(0, Ordering::SeqCst) == 0
    };
    assert!(is_harmless(&page));
    assert!(is_harmless(&without_policy(&page)), "escaping is enough");
    // The same names as they are: the browser would run them, and the policy would not let it.
    let bare = attacks.concat();
    let title = page.find("</header>").expect("a header");
    let with_bare = format!("{}{bare}{}", &page[..title], &page[title..]);
    assert!(is_harmless(&with_bare), "the policy is enough");
    assert!(
        !is_harmless(&without_policy(&with_bare)),
        "the test sees nothing"
    );
}
