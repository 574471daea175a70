"""The encoders that papers measured, read from the files that were published with them."""
