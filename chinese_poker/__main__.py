"""``python -m chinese_poker`` is the command ``chinese-poker``."""

from .cli import main

if __name__ == "__main__":
    main()
