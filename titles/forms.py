"""Changes of a title's form that leave what it is about: what editors and users put around it.

Each takes a title and a source of random choices, and gives the title in another form, or as it is
where it cannot be changed so. Models are trained on these (`training.augmentation`), so that none
tells them anything. `PROBES` are changes of the same kinds in words that training never sees: what
a model makes of those is measured (`scoring.robustness`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from models.title_text import is_blank

Form = Callable[[str, Random], str]

_FLASHES = ("突发", "独家", "视频", "最新", "热点", "原创", "关注", "直播", "早报", "提醒")
_BRACKETS = ("【{}】", "[{}]", "「{}」", "（{}）", "{}｜", "{}丨", "{}：", "{} | ")
_PICTURES = (
    "（图）",
    "(组图)",
    "（组图）",
    "[图]",
    "（视频）",
    "(附图)",
    "（高清）",
    " 图集",
)
_TAILS = (
    "，网友炸锅了",
    "，真相让人意外",
    "，看完沉默了",
    "！评论区吵翻了",
    "，你怎么看？",
    "，原因竟是这样",
    "，背后的原因曝光",
    "，一文看懂",
    "，太意外了！",
    "，官方回应来了",
    "，值得收藏",
    "，速看",
    "，冲上热搜第一",
)
_OPENINGS = ("刚刚！", "重磅！", "突发！", "注意！", "定了！", "太突然了！", "刚刚，", "注意了，")
_EMOJI = ("😱", "👍", "❗", "📢", "😂", "👏", "🎉", "👀", "💥", "🙏", "🤔")
_ENDS = ("！", "？", "…", "……", "~", "!!", "？！", ".")
_SOURCES = (
    "_新闻频道",
    " - 今日头条",
    "|每日速览",
    "--中国新闻",
    "-手机网",
    "丨晨报",
    " via 客户端",
)
_NAMES = {
    "特朗普": "Trump",
    "拜登": "Biden",
    "梅西": "Messi",
    "C罗": "Ronaldo",
    "詹姆斯": "LeBron",
    "库里": "Curry",
    "苹果": "Apple",
    "谷歌": "Google",
    "微软": "Microsoft",
    "特斯拉": "Tesla",
    "马斯克": "Musk",
    "华为": "Huawei",
    "小米": "Xiaomi",
    "腾讯": "Tencent",
    "英伟达": "NVIDIA",
    "三星": "Samsung",
    "美联储": "Fed",
    "好莱坞": "Hollywood",
    "英雄联盟": "LOL",
    "北约": "NATO",
}
_PAUSES = re.compile(r"[\s，,。！!？?：:；;、|｜丨]+")
_LEAST_HALF = 6
"""Characters that are left at least, for a title to say what it is about."""


def flash(title: str, random: Random) -> str:
    """【快讯】 before it."""
    return random.choice(_BRACKETS).format(random.choice(_FLASHES)) + title


def picture(title: str, random: Random) -> str:
    """(图) behind it."""
    return title + random.choice(_PICTURES)


def hashtag(title: str, random: Random) -> str:
    """#…# around it."""
    return f"#{title.strip('#')}#"


def tail(title: str, random: Random) -> str:
    """What is to make people click, behind it."""
    return title.rstrip("。！？!?") + random.choice(_TAILS)


def opening(title: str, random: Random) -> str:
    """What is to make people click, before it."""
    return random.choice(_OPENINGS) + title


def emoji(title: str, random: Random) -> str:
    """Pictures before or behind it."""
    signs = random.choice(_EMOJI) * random.randint(1, 3)
    return random.choice((signs + title, title + signs))


def end(title: str, random: Random) -> str:
    """A full stop, or what stands for one, behind it."""
    return title + random.choice(_ENDS)


def source(title: str, random: Random) -> str:
    """Where it was published, behind it."""
    return title + random.choice(_SOURCES)


def names(title: str, random: Random) -> str:
    """Well-known names in Latin script."""
    for chinese, latin in _NAMES.items():
        title = title.replace(chinese, latin)
    return title


def pauses(title: str, random: Random) -> str:
    """Blanks and commas exchanged, or left out."""
    other = _PAUSES.sub(random.choice((" ", "，", "")), title)
    return title if is_blank(other) else other


def half(title: str, random: Random) -> str:
    """One of its parts, where it has some that say enough."""
    parts = [part for part in _PAUSES.split(title) if len(part) >= _LEAST_HALF]
    return random.choice(parts) if len(parts) > 1 else title


FORMS: Mapping[str, Form] = {
    each.__name__: each
    for each in (
        flash, picture, hashtag, tail, opening, emoji, end, source, names, pauses, half
    )
}  # fmt: skip
"""By name."""


PROBES: Mapping[str, Callable[[str], str]] = {
    "flash": lambda title: f"【快讯】{title}",
    "picture": lambda title: f"{title}(图)",
    "hashtag": lambda title: f"#{title}#",
    "clickbait tail": lambda title: f"{title}，到底是怎么回事？网友这样说",
    "clickbait opening": lambda title: f"刚刚传来！{title}",
    "emoji": lambda title: f"{title}🔥🔥",
    "full stop": lambda title: f"{title}。",
    "source": lambda title: f"{title}_手机搜狐网",
    "names in Latin script": lambda title: names(title, Random(0)),
    "blanks for signs": lambda title: _PAUSES.sub(" ", title),
    "first half": lambda title: _first_half(title),
}
"""By name: changes that a model should not care about."""


def changed(titles: Sequence[str], forms: Sequence[str], seed: int) -> list[str]:
    """Each title in one of the forms named, drawn at random for each; the same for a seed."""
    random = Random(seed)
    return [FORMS[random.choice(forms)](title, random) for title in titles]


def _first_half(title: str) -> str:
    parts = _PAUSES.split(title)
    return parts[0] if len(parts) > 1 and len(parts[0]) >= _LEAST_HALF else title
