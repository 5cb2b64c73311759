"""Run by Alembic; the connection is given by `service.feedback.store`."""

from alembic import context

from service.feedback.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
