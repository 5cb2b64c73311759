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


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FLASHES = _words(
    """
    突发 独家 视频 最新 热点 原创 关注 直播 早报 提醒 重磅 速递 晚报 观察 深度 解读 盘点
    图解 特写 评论 聚焦 专访 现场 追踪 滚动 播报 要闻 头条 号外 更新 公告 通知 揭秘 辟谣
    数据 科普 转发 话题 投票 周报 夜读 晨读 荐读 连载 专栏 对话 人物 图集 双语 快评 热评
    锐评 一线 前沿 榜单 必看 收藏 注意 预告 回顾
    """
)
_BRACKETS = (
    *_words("【{}】 [{}] 「{}」 （{}） 《{}》 〔{}〕 #{}# {}｜ {}丨 {}： {}· {}—— {}/"),
    "{} | ",
    "{} ",
)
_PICTURES = _words(
    """
    （图） (组图) （组图） [图] （视频） (附图) （高清） 图集 (多图) [视频] （附视频）
    (动图) 〔图〕
    """
)
_TAILS = _words(
    """
    ，网友炸锅了 ，真相让人意外 ，看完沉默了 ！评论区吵翻了 ，你怎么看？ ，原因竟是这样
    ，背后的原因曝光 ，一文看懂 ，太意外了！ ，官方回应来了 ，值得收藏 ，速看 ，冲上热搜第一
    ，网友：没想到 ，到底值不值？ ，这次彻底火了 ，内行人这么说 ，结果出人意料 ，引发热议
    ，你猜到了吗 ，专家给出解释 ，后续来了 ，最后一句亮了 ，真的是这样吗
    ，大家怎么看 ，令人深思 ，细节曝光 ，现场画面公开 ，网友评论太真实 ，不看后悔 ，评论亮了
    ，怎么办？ ，快来了解一下 ，有人欢喜有人愁 ，这是为什么
    """
)
_OPENINGS = _words(
    """
    刚刚！ 重磅！ 突发！ 注意！ 定了！ 太突然了！ 刚刚， 注意了， 官宣！ 最新消息： 快看！
    没想到， 速看！ 今天， 紧急提醒！ 出大事了！ 有图有真相： 原来如此！ 震惊！ 好消息！
    终于来了！ 最新！ 厉害了！ 据悉， 网传 网友爆料： 独家： 必看！ 划重点！ 热搜第一！
    """
)
_EMOJI = ("😱", "👍", "❗", "📢", "😂", "👏", "🎉", "👀", "💥", "🙏", "🤔")
_ENDS = ("！", "？", "…", "……", "~", "!!", "？！", ".")
_OUTLETS = _words(
    """
    中国 北京 上海 广东 南方 东方 环球 人民 新华 华西 都市 每日 今日 第一 凤凰 腾讯 网易
    新浪 百度 澎湃 红星 极目 大河 齐鲁 荆楚 钱江 羊城 楚天 封面 界面 移动 手机 掌上 生活
    城市 经济 体育 科技 教育 娱乐
    """
)
_MEDIA = _words(
    """
    网 新闻 新闻网 日报 晚报 时报 晨报 快报 周刊 在线 客户端 频道 新闻中心 财经 体育 娱乐
    科技 教育 房产 游戏 股票 资讯 手机版 头条 视频 卫视 首页
    """
)
"""Both name classes, too: a publisher's channel says less than the title does."""
_PARTED = (
    "_{}",
    "-{}",
    " - {}",
    "|{}",
    "丨{}",
    "--{}",
    " | {}",
    "——{}",
    " via {}",
    "（来源：{}）",
    " {}",
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
    outlet = random.choice(_OUTLETS) + random.choice(_MEDIA)
    return title + random.choice(_PARTED).format(outlet)


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
