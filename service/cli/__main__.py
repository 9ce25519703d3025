"""`python3 -m service.cli`: runs the command line without the script `chiptrail`."""

from service.cli import main

if __name__ == "__main__":
    main(prog_name="chiptrail")
