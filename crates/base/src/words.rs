//! Numbers and messages written for people.

/// A message beyond this many characters is cut in its middle: names in a damaged file can be very long.
const LONGEST_MESSAGE: usize = 600;

/// A message on one line that is safe for a terminal, whatever a file's names hold.
pub fn one_line(text: &str) -> String {
    let line = visible(text);
    let length = line.chars().count();
    if length <= LONGEST_MESSAGE {
        return line;
    }
    let half = LONGEST_MESSAGE / 2;
    let first: String = line.chars().take(half).collect();
    let last: String = line.chars().skip(length - half).collect();
    format!("{first} […] {last}")
}

/// A text in which everything is seen that is there: characters that would move the cursor, colour the terminal, end the line
/// or turn the order of the others are written as `\u{1b}`.
pub fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// [`visible`] for a text of several lines, whose ends and tabs stay as they are.
pub fn visible_lines(text: &str) -> String {
    escaped(text, |c| c == '\n' || c == '\t')
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) && !stays(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character does something else than being seen: control characters, separators of lines and paragraphs, marks
/// that change the direction of the text, and characters without width that no script needs.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        )
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c)
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// A count with its thousands apart: `15,565`.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count of things: `1 row`, `2,345 rows`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(count))
}

/// A duration in seconds, in the two largest units that matter: `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3600, whole / 86400);
    match whole {
        0..100 => format!("{whole} s"),
        100..6000 => format!("{minutes} min"),
        6000..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// A duration in seconds with one digit after the point where it is short: `4.2s`, `12min`, `3.3h`.
pub fn short_duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.1}s"),
        s if s < 6000.0 => format!("{:.0}min", s / 60.0),
        s => format!("{:.1}h", s / 3600.0),
    }
}

/// A length of time as people write it, in seconds: `90`, `90s`, `45m`, `1h30m`, `2 h`, `1d`.
pub fn parse_duration(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}`; expected a time such as 90s, 45m, 2h or 1h30m");
    let (mut seconds, mut rest) = (0.0, text.trim());
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, after) = rest.split_at(digits.unwrap_or(rest.len()));
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, after) = after.split_at(letters.unwrap_or(after.len()));
        seconds += number
            * match unit {
                "" | "s" | "sec" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return Err(wrong()),
            };
        rest = after.trim_start();
    }
    match seconds > 0.0 && seconds.is_finite() {
        true => Ok(seconds),
        false => Err(wrong()),
    }
}

/// Year, month and day of the date that is so many days after 1 January 1970, by Hinnant's algorithm: its years begin in March.
pub fn date_of_day(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (400 * era + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_come_back() {
        for (text, seconds) in [
            ("90", 90.0),
            ("1.5h", 5400.0),
            ("45m", 2700.0),
            ("1h30m", 5400.0),
            ("2 h 10 min", 7800.0),
            ("1d", 86400.0),
        ] {
            assert_eq!(parse_duration(text), Ok(seconds));
        }
        for bad in ["", "h", "-3s", "3 weeks", "0", "1..5h", "inf"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_message_is_one_short_line() {
        assert_eq!(one_line("a\nb\u{1b}[31mc ü"), "a\\nb\\u{1b}[31mc ü");
        let long = one_line(&format!(
            "a.mps:3: unknown row `{}` (end)",
            "x".repeat(100_000)
        ));
        assert!(long.starts_with("a.mps:3: unknown row `xxx") && long.ends_with("xxx` (end)"));
        assert!(long.chars().count() < 700);
    }

    #[test]
    fn nothing_is_hidden() {
        let hostile = "a\u{1b}]0;title\u{7}\r\u{202e}gpj.exe\u{2066}\u{9b}31m\n\tb";
        let shown = visible(hostile);
        assert!(!shown.chars().any(is_deceptive), "{shown}");
        assert_eq!(visible_lines("a\r\nb\tc\u{85}"), "a\\r\nb\tc\\u{85}");
        let usual = "x[1,2] ü 漢字 مرحبا می\u{200c}خواهم";
        assert_eq!(visible(usual), usual);
    }

    #[test]
    fn counts() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(15565), "15,565");
        assert_eq!(thousands(1234567), "1,234,567");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1293, "row"), "1,293 rows");
    }

    #[test]
    fn durations() {
        let long = [45.0, 725.0, 12_000.0, 190_000.0].map(duration);
        assert_eq!(long, ["45 s", "12 min", "3 h 20 min", "2 d 4 h"]);
        let short = [4.21, 725.0, 12_000.0].map(short_duration);
        assert_eq!(short, ["4.2s", "12min", "3.3h"]);
    }
}
