//! The engine ssru as a plugin: `dyno translate --plugin target/release/libdyno_plugin_ssru.so --model …`.

dyno_plugin::export!(dyno_ssru::ENGINE);
