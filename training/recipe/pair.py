"""Stage: joins a corpus with its machine translations into filtered parallel text, <out>.en and <out>.de.

    python -m recipe.pair bt captions.de bt.greedy.en bt.sampled.en --tidy    (back-translation: several a line)
    python -m recipe.pair forward captions.en forward.raw                     (forward translation)
"""

import argparse

from recipe import filters
from recipe.files import Places, write_lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    Places.add_options(parser)
    parser.add_argument("out")
    parser.add_argument("source", help="the real text; its name ends in .en or .de")
    parser.add_argument("translations", nargs="+", help="line for line the other language")
    parser.add_argument("--tidy", action="store_true", help="repair capitals, spaces and full stops on both sides")
    filters.add_options(parser)
    options = parser.parse_args()
    places = Places.of(options)
    real = places.lines(options.source) * len(options.translations)
    made = [line for name in options.translations for line in places.lines(name)]
    if options.tidy:
        real, made = ([filters.tidy(line) for line in lines] for lines in (real, made))
    english, german = (real, made) if options.source.endswith(".en") else (made, real)
    english, german, rejected = filters.filtered(*filters.of_options(options, places), english, german)
    write_lines(places.work / f"{options.out}.en", english)
    write_lines(places.work / f"{options.out}.de", german)
    print(f"{options.out}: {len(english)} pairs kept of {len(real)}; left out: {dict(rejected)}")


if __name__ == "__main__":
    main()
