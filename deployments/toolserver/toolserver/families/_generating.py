"""Writing token after token: what all families share that have transformers write a text."""

from __future__ import annotations

import copy
import math
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessor, StoppingCriteria

from ..faults import Fault
from ..work import Step

LEAST_ROOM = 16
"""The minimum number of tokens left for an answer, unless fewer are requested."""

STOP_REACH = 64
"""Tokens at the end of a text in which an end that was asked for is looked for: a stop of
more tokens than that is found when the text is done."""


@dataclass(frozen=True)
class Manner:
    """How one text of a batch is written."""

    most: int
    """Tokens at most."""
    temperature: float = 0.0
    """0 takes the likeliest token each time."""
    top_p: float = 1.0
    top_k: int = 0
    """0 is all."""
    repetition_penalty: float = 1.0
    """Of Keskar et al., CTRL (arXiv:1909.05858): what was there already is divided by it."""
    seed: int = 0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Text:
    """What was written."""

    text: str = field(repr=False)
    score: float
    """From 0 to 1: the geometric mean of the probabilities that the model gave its tokens."""


def manner(parameters: Mapping[str, Any], most: int, usual: GenerationConfig | None = None) -> Manner:
    """By the parameters of a request (tasks.Generate), which may also stand in its
    generation_parameters or generate_parameters; most is used where none is asked for. usual
    is what the model comes with, which is used where it is drawn by lot."""
    said: dict[str, Any] = {}
    for nested in ("generation_parameters", "generate_parameters"):
        said |= {name: value for name, value in dict(parameters.get(nested) or {}).items() if value is not None}
    said |= {name: value for name, value in parameters.items() if value is not None}
    temperature = said.get("temperature")
    drawn = said.get("do_sample")
    if drawn is None:
        drawn = bool(temperature)
    seed = said.get("seed", -1)
    # set apart, for a model's own temperature says nothing about the likeliest token
    own = {name: getattr(usual, name, None) for name in ("temperature", "top_p", "top_k")} if drawn else {}

    def value(name: str, otherwise: float) -> float:
        found = said.get(name, own.get(name))
        return otherwise if found is None else float(found)

    return Manner(
        most=int(said.get("max_new_tokens", most)),
        temperature=value("temperature", 1.0) if drawn else 0.0,
        top_p=value("top_p", 1.0) if drawn else 1.0,
        top_k=int(value("top_k", 0)) if drawn else 0,
        repetition_penalty=value("repetition_penalty", 1.0),
        seed=secrets.randbits(62) if seed < 0 else int(seed),
        stop=tuple(s for s in said.get("stop", ()) if s),
    )


def room(length: int, context: int, wanted: int) -> int:
    """How many of the wanted tokens fit behind an input of that length. The input alone may
    be too long: that is a Fault which names the limit."""
    if length + min(wanted, LEAST_ROOM) > context:
        raise Fault("too_large", f"The input is longer than the {context} tokens that this model reads at once.")
    return min(wanted, context - length)


def bound(how: Manner, most: int) -> Manner:
    """The same with no more tokens than that."""
    return replace(how, most=min(how.most, most))


def shares(lengths: Sequence[int], wanted: Sequence[int], context: int) -> Iterator[range]:
    """Cuts a batch so that each part takes no more memory than one text that fills the
    context: rows are padded to the longest one."""
    start = 0
    for end in range(1, len(lengths) + 1):
        part = slice(start, end + 1)
        if end == len(lengths) or (end + 1 - start) * (max(lengths[part]) + max(wanted[part])) > context:
            yield range(start, end)
            start = end


class _Row:
    """A text that is being written."""

    def __init__(self, how: Manner, device: torch.device) -> None:
        self.how = how
        self.chance = torch.Generator(device).manual_seed(how.seed % 2**63) if how.temperature > 0 else None
        self.tokens: list[int] = []
        self.sureness = 0.0  # the sum of the logarithms of their probabilities
        self.done = False


class _Pen(LogitsProcessor):
    """Chooses the next token of each row in that row's manner and with its own chance, so that
    a text does not hang on what else is in its batch.

    transformers draws by the one random generator of the process. Here the token is chosen
    before, and all others are ruled out."""

    def __init__(self, rows: list[_Row], pad: int | None) -> None:
        self.rows, self.pad = rows, pad

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        logits = scores.float()
        for i, row in enumerate(self.rows):
            if not row.done and row.how.repetition_penalty != 1:
                seen = torch.unique(input_ids[i])
                seen = seen[(seen != self.pad) & (seen < logits.shape[1])] if self.pad is not None else seen
                there = logits[i, seen]
                logits[i, seen] = torch.where(there < 0, there * row.how.repetition_penalty, there / row.how.repetition_penalty)
        chosen = logits.argmax(-1)
        for i, row in enumerate(self.rows):
            if not row.done and row.chance is not None:
                chosen[i] = _drawn(logits[i], row.how, row.chance)
        sure = logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(-1)
        for row, token, value in zip(self.rows, chosen.tolist(), sure.tolist(), strict=True):
            if not row.done:
                row.sureness += value
                row.tokens.append(token)
        return torch.full_like(scores, -math.inf).scatter_(1, chosen[:, None], 0.0)


class _Watch(StoppingCriteria):
    """Is called after each token: tells how far it is, which is where a cancelled batch ends,
    and which rows are done."""

    def __init__(self, most: int, step: Step, part: tuple[float, float]) -> None:
        self.most, self.step, self.part, self.written = most, step, part, 0

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:  # noqa: ANN401
        self.written += 1
        low, high = self.part
        self.step(low + (high - low) * min(self.written / self.most, 1.0))
        return self.ended(input_ids)

    def ended(self, input_ids: torch.Tensor) -> torch.Tensor:
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)


class _Ends(_Watch):
    """By each row's own limit and stops."""

    def __init__(self, rows: list[_Row], ends: set[int], tokenizer: Any, step: Step, part: tuple[float, float]) -> None:  # noqa: ANN401
        super().__init__(max(row.how.most for row in rows), step, part)
        self.rows, self.ends, self.tokenizer = rows, ends, tokenizer

    def ended(self, input_ids: torch.Tensor) -> torch.Tensor:
        for row in self.rows:
            if not row.done:
                row.done = row.tokens[-1] in self.ends or len(row.tokens) >= row.how.most or self._stopped(row)
        return torch.tensor([row.done for row in self.rows], device=input_ids.device)

    def _stopped(self, row: _Row) -> bool:
        if not row.how.stop:
            return False
        tail = self.tokenizer.decode(row.tokens[-STOP_REACH:], skip_special_tokens=True)
        return any(stop in tail for stop in row.how.stop)


def _drawn(logits: torch.Tensor, how: Manner, chance: torch.Generator) -> torch.Tensor:
    """A token by lot: of the top_k likeliest ones, and of those the fewest that have top_p of
    the probability together."""
    logits = logits / max(how.temperature, 1e-4)
    if how.top_k > 0:
        least = logits.topk(min(how.top_k, logits.shape[-1])).values[-1]
        logits = logits.masked_fill(logits < least, -math.inf)
    likely, order = logits.softmax(-1).sort(descending=True)
    before = likely.cumsum(-1) - likely
    likely = likely.masked_fill(before >= how.top_p, 0.0)
    return order[torch.multinomial(likely, 1, generator=chance)[0]]


def _ends(usual: GenerationConfig, tokenizer: Any) -> set[int]:  # noqa: ANN401
    ends = usual.eos_token_id if isinstance(usual.eos_token_id, list) else [usual.eos_token_id]
    return {end for end in [*ends, tokenizer.eos_token_id] if end is not None}


def write(
    model: Any,  # noqa: ANN401 - of transformers, with a generate method
    tokenizer: Any,  # noqa: ANN401
    manners: Sequence[Manner],
    step: Step,
    inputs: Mapping[str, Any],
    *,
    part: tuple[float, float] = (0.0, 1.0),
    usual: GenerationConfig | None = None,
    special: bool = False,
) -> list[Text]:
    """Has the model write a text for each row of the inputs, without what it was given. part
    is what of the whole batch this is, for telling how far it is; special keeps the special
    tokens in the text."""
    usual = usual or model.generation_config
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    config = copy.deepcopy(usual)
    config.update(
        do_sample=False, num_beams=1, temperature=None, top_p=None, top_k=None, repetition_penalty=None,
        max_length=None, min_length=None, length_penalty=None, early_stopping=None,
        max_new_tokens=max(how.most for how in manners), pad_token_id=pad,
    )  # fmt: skip
    rows = [_Row(how, model.device) for how in manners]
    ends = _ends(usual, tokenizer)
    watch = _Ends(rows, ends, tokenizer, step, part)
    model.generate(**inputs, generation_config=config, logits_processor=[_Pen(rows, pad)], stopping_criteria=[watch])
    return [Text(_read(tokenizer, row, ends, special), _score(row)) for row in rows]


def search(
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    most: int,
    step: Step,
    inputs: Mapping[str, Any],
    *,
    part: tuple[float, float] = (0.0, 1.0),
    without: Collection[int] = (),
    **more: Any,  # noqa: ANN401
) -> list[str]:
    """The same with beams, as the model's generation_config.json says: for those that were
    made to be asked so (summaries, translations). Always the same for the same input. without
    are tokens that are left out of the texts, beside the special ones."""
    config = copy.deepcopy(model.generation_config)
    config.update(do_sample=False, temperature=None, top_p=None, top_k=None, max_length=None, max_new_tokens=most, **more)
    if (config.min_length or 0) > most // 2:
        config.update(min_length=None)
    out = model.generate(**inputs, generation_config=config, stopping_criteria=[_Watch(most, step, part)])
    rows = [[token for token in row if token not in without] for row in out.tolist()]
    return [text.strip() for text in tokenizer.batch_decode(rows, skip_special_tokens=True)]


def _read(tokenizer: Any, row: _Row, ends: set[int], special: bool) -> str:  # noqa: ANN401
    tokens = row.tokens[:-1] if row.tokens and row.tokens[-1] in ends else row.tokens
    text: str = tokenizer.decode(tokens, skip_special_tokens=not special)
    at = min((i for i in (text.find(stop) for stop in row.how.stop) if i >= 0), default=len(text))
    return text[:at].strip()


def _score(row: _Row) -> float:
    return min(1.0, max(0.0, math.exp(row.sureness / len(row.tokens)))) if row.tokens else 0.0
