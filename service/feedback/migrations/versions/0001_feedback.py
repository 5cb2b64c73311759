"""The table of corrections."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("label", sa.String(200)),
        sa.Column("answered", sa.String(200), nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("by", sa.String(200)),
    )
    op.create_index("ix_feedback_received_at", "feedback", ["received_at"])
    op.create_index("ix_feedback_version", "feedback", ["version"])


def downgrade() -> None:
    op.drop_table("feedback")
