"""How the shipped translators are made: one module a stage, see ../README.md."""
