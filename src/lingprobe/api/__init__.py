"""The Python interface: the functions behind the command line, exported by `lingprobe`.

`measure` runs encoders on tasks and returns an `evaluation`; `results` reads again what was
measured. The other modules have the other functions, by subject. A function checks its arguments
(`arguments`), calls the rooms below, and returns a value that prints itself; the command line is
derived from its signature and docstring.
"""
