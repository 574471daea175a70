"""The words of the embedded grammar: British English, with the irregular forms that no rule
gives.
"""

from __future__ import annotations

from dataclasses import dataclass

NOUNS = {
    "person": """actor artist aunt baker barber butcher captain child/children clerk cook cousin
    dancer doctor driver editor engineer farmer fisherman/fishermen gardener guard guest hunter
    judge king lawyer librarian man/men mayor mechanic miner musician neighbour nurse painter
    pilot plumber poet pupil queen sailor scientist shepherd singer soldier stranger student
    tailor teacher tourist uncle visitor waiter woman/women writer""",
    "animal": """bear bird cat cow dog donkey duck fox goat goose/geese horse lamb monkey
    mouse/mice parrot pig pony rabbit spider tiger wolf/wolves""",
    "thing": """basket blanket bottle box bucket camera candle carpet chair clock coat coin cup
    curtain drum glove hammer hat jacket jar kettle key knife/knives ladder lamp mirror necklace
    pillow plate ring rope scarf/scarves shelf/shelves shoe spoon statue table tool toy trunk
    umbrella vase violin wallet watch""",
    "food": """apple biscuit cake carrot cherry egg lemon loaf/loaves melon mushroom onion pancake
    peach pear pie pizza plum potato sandwich sausage tomato""",
    "text": """article book contract diary essay letter list manual map message newspaper novel
    poem postcard recipe report sermon song speech story""",
    "place": """attic bakery bank bridge cabin castle cave cellar chapel church cinema factory
    farm garden harbour hospital hotel island kitchen library market mill museum office palace
    park prison school stable station studio/studios temple theatre tower village warehouse""",
    "vehicle": """bicycle boat bus canoe car ferry lorry motorcycle plane ship tractor train truck
    van wagon""",
}

# A star doubles the last consonant (drop, dropped); an equals sign marks a state, which has no
# progressive and no imperative.
TRANSITIVE = {
    "thing": """borrow break/broke/broken bring/brought/brought buy/bought/bought carry clean
    collect count damage drop* find/found/found hide/hid/hidden hold/held/held inspect lift
    lose/lost/lost measure move need= own= pack paint polish pull push remove repair replace
    sell/sold/sold shake/shook/shaken steal/stole/stolen take/took/taken throw/threw/thrown touch
    want= wash weigh wrap*""",
    "food": """bake boil burn buy/bought/bought chew chop* cook devour eat/ate/eaten fry order
    peel prepare serve share slice smell swallow taste want=""",
    "text": """copy correct describe destroy discuss edit explain finish improve like= memorise
    mention print publish quote recite sign study tear/tore/torn translate
    understand=/understood/understood write/wrote/written""",
    "person": """admire annoy avoid blame call cheat comfort encourage follow
    forgive/forgave/forgiven frighten greet hate= help hire ignore interview invite
    know=/knew/known love= meet/met/met miss mock obey phone photograph praise question recognise=
    remember= scold see=/saw/seen support surprise tease thank trust= visit warn watch welcome""",
    "animal": """catch/caught/caught chase feed/fed/fed fear= film free like= rescue
    shoot/shot/shot tame train""",
    "place": """abandon approach avoid build/built/built close cross decorate destroy
    draw/drew/drawn enter explore guard leave/left/left open pass rebuild/rebuilt/rebuilt search
    visit""",
    "vehicle": """borrow damage drive/drove/driven inspect load own= park push rent repair
    sell/sold/sold start stop* test wash""",
}
INTRANSITIVE = """apologise argue arrive celebrate complain cough cry dance disappear dream
    exercise faint fall/fell/fallen fight/fought/fought giggle hesitate hurry jump
    kneel/knelt/knelt laugh listen pray rest retire return sing/sang/sung shiver shout sigh
    sleep/slept/slept smile sneeze snore speak/spoke/spoken stumble suffer swim*/swam/swum travel*
    vanish vote wait walk wander weep/wept/wept whisper work worry yawn"""
DITRANSITIVE = (
    "give/gave/given hand lend/lent/lent offer sell/sold/sold send/sent/sent show/showed/shown"
)
CLAUSAL = """admit* announce believe= claim deny discover doubt= explain guess hear=/heard/heard
    hope insist know=/knew/known notice promise realise= say/said/said suspect= swear/swore/sworn
    think/thought/thought"""
CONTROL = """agree begin*/began/begun continue decide hope learn manage need= plan* prefer*
    promise refuse try want="""

ADJECTIVES = {
    "any": """big black blue brown cheap dirty familiar famous grey huge large little lovely old
    ordinary red small strange tiny ugly unusual white young""",
    "person": """angry brave clever cheerful friendly generous gentle honest kind lazy lonely
    modest patient polite proud quiet rich serious shy silly tall tired wise""",
    "animal": "brave clever fat friendly hungry lazy noisy quiet sleepy thin wild",
    "thing": "broken empty expensive green heavy light modern pretty useful wooden yellow",
    "food": "bitter cold delicious fresh ripe sour sweet warm",
    "text": "boring brief cruel difficult funny long original sad short simple",
    "place": "ancient busy cold dark distant empty lonely modern peaceful quiet",
    "vehicle": "broken expensive fast green modern noisy rusty slow yellow",
}
MANNER = """angrily badly bravely calmly carefully cheerfully clumsily eagerly gently happily
    loudly nervously patiently politely proudly quickly quietly sadly silently slowly suddenly"""
FREQUENCY = "always often rarely sometimes usually never"
DEGREE = "rather quite very"
NAMES = """Adam Agnes Alice Anna Arthur Barbara Clara Daniel David Edith Emma Frank George Grace
    Hannah Helen Henry Irene Jack James Jane John Julia Karl Laura Leo Lucy Maria Martin Mary Nina
    Oscar Paul Peter Rosa Ruth Sarah Simon Thomas Victor"""
NEAR = "behind beside in inside near outside"
TIMES = "breakfast dinner lunch midnight noon sunrise sunset supper"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that can be counted, and what kind of thing it names."""

    singular: str
    plural: str
    kind: str


@dataclass(frozen=True, slots=True)
class Verb:
    """The five forms of a verb, and what kind of thing its object names ('' where it takes
    none).
    """

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    kind: str = ""
    state: bool = False


def sibilant(word: str) -> str:
    """The word with -s, -es or -ies, as plurals and third persons have it."""
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def noun(entry: str, kind: str) -> Noun:
    """A noun from `wolf/wolves`, or from its singular where the plural is regular."""
    singular, _, plural = entry.partition("/")
    return Noun(singular, plural or sibilant(singular), kind)


def verb(entry: str, kind: str = "") -> Verb:
    """A verb from `write/wrote/written`, or from its base where it is regular."""
    head, *irregular = entry.split("/")
    base = head.rstrip("*=")
    stem = base + base[-1] if "*" in head else base
    if stem.endswith("e"):
        regular, gerund = stem + "d", (stem if stem.endswith("ee") else stem[:-1]) + "ing"
    elif stem.endswith("y") and stem[-2] not in "aeiou":
        regular, gerund = stem[:-1] + "ied", stem + "ing"
    else:
        regular, gerund = stem + "ed", stem + "ing"
    past, participle = irregular or (regular, regular)
    return Verb(base, sibilant(base), past, participle, gerund, kind, "=" in head)


@dataclass(frozen=True)
class Words:
    """All words, as tuples to draw from; nouns, verbs with objects, and adjectives by kind of
    thing.
    """

    nouns: dict[str, tuple[Noun, ...]]
    transitive: dict[str, tuple[Verb, ...]]
    adjectives: dict[str, tuple[str, ...]]
    intransitive: tuple[Verb, ...] = tuple(map(verb, INTRANSITIVE.split()))
    ditransitive: tuple[Verb, ...] = tuple(verb(entry, "thing") for entry in DITRANSITIVE.split())
    clausal: tuple[Verb, ...] = tuple(map(verb, CLAUSAL.split()))
    control: tuple[Verb, ...] = tuple(map(verb, CONTROL.split()))
    manner: tuple[str, ...] = tuple(MANNER.split())
    frequency: tuple[str, ...] = tuple(FREQUENCY.split())
    degree: tuple[str, ...] = tuple(DEGREE.split())
    names: tuple[str, ...] = tuple(NAMES.split())
    near: tuple[str, ...] = tuple(NEAR.split())
    times: tuple[str, ...] = tuple(TIMES.split())


LEXICON = Words(
    nouns={
        kind: tuple(noun(entry, kind) for entry in text.split()) for kind, text in NOUNS.items()
    },
    transitive={
        kind: tuple(verb(entry, kind) for entry in text.split())
        for kind, text in TRANSITIVE.items()
    },
    adjectives={
        kind: tuple((text + " " + ADJECTIVES["any"]).split()) for kind, text in ADJECTIVES.items()
    },
)
