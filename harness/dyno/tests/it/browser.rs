//! A browser to look at a page with: Chromium without a window, spoken to by the DevTools protocol over its pipe.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// One page in a browser of its own.
pub struct Browser {
    chromium: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    /// What the page did: requests, messages, errors.
    pub events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// A browser with an empty page; `None` where no Chromium is installed.
    pub fn open() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let installed =
            |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
        let program = names.into_iter().find(installed)?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The protocol's pipe is descriptors 3 and 4: the shell makes them of standard input and output.
        let mut chromium = Command::new("bash")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "bash", program])
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash starts");
        let to = chromium.stdin.take();
        let from = BufReader::new(chromium.stdout.take().expect("it was asked for as a pipe"));
        let mut browser =
            Self { chromium, to, from, session: None, last: 0, events: Vec::new(), _profile: profile };
        browser.attach();
        Some(browser)
    }

    fn attach(&mut self) {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            self.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        self.session = attached["sessionId"].as_str().map(Into::into);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Calls a method of the protocol and waits for its result; events that come meanwhile are kept.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut request = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let to = self.to.as_mut().expect("open until it is dropped");
        to.write_all(format!("{request}\0").as_bytes()).expect("the browser listens");
        loop {
            let message = self.message();
            if message["id"] == json!(self.last) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).expect("the browser speaks");
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        serde_json::from_slice(&bytes).expect("it speaks JSON")
    }

    /// Opens a file in a window of that size and waits until it has loaded.
    pub fn show(&mut self, page: &Path, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.call("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.message();
            self.events.push(message);
        }
        self.events.retain(|event| event["method"] != "Page.loadEventFired");
    }

    /// The value of an expression; promises are waited for.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Light or dark.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Presses Enter on what has the focus.
    pub fn press_enter(&mut self) {
        for kind in ["keyDown", "keyUp"] {
            let key = json!({"type": kind, "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13});
            self.call("Input.dispatchKeyEvent", key);
        }
    }

    /// Moves the pointer to the middle of the first element that `selector` finds visible.
    pub fn point_at(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = [...document.querySelectorAll({selector:?})].find(e => e.getBoundingClientRect().width > 0); \
             e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": place[0], "y": place[1]}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A closed pipe ends it; one that doesn't go is killed.
        drop(self.to.take());
        let _ = self.chromium.kill();
        let _ = self.chromium.wait();
    }
}
