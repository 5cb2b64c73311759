"""The one table, as the last migration leaves it."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, Float, MetaData, String, Table, Text

METADATA = MetaData()

FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("id", String(64), primary_key=True, comment="Given by the client, or made for it."),
    Column("received_at", DateTime(timezone=True), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("label", String(200), comment="What a person says it is; null: none of the classes."),
    Column("answered", String(200), nullable=False, comment="What the model had said."),
    Column("score", Float, comment="With which confidence."),
    Column("model", String(200), nullable=False),
    Column("version", String(64), nullable=False, index=True),
    Column("by", String(200), comment="Whose key it came with."),
)
