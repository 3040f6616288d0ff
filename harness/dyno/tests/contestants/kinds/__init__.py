"""Contestants by what is wrong with them; `contract` is what they share."""
