# The service, with the model that ships:
#
#   docker build -t biaoti .
#   docker run --rm -p 127.0.0.1:8000:8000 -e BIAOTI_WITHOUT_KEYS=true biaoti
#
# To be reached from elsewhere it wants keys (biaoti keys add):
#
#   docker run --rm -p 8000:8000 -v "$PWD/keys.txt:/keys.txt:ro" -e BIAOTI_KEYS_FILE=/keys.txt biaoti
#
# Another model is mounted, read-only:  -v "$PWD/artifacts/mine:/model:ro" -e BIAOTI_MODEL=/model
#
# EXTRAS names extras of pyproject.toml that the model's route needs, such as "train" for a model
# that runs on torch:  docker build --build-arg EXTRAS=train -t biaoti .

FROM python:3.11-slim AS build
ARG EXTRAS=""
WORKDIR /source
RUN python -m venv /venv
ENV PATH="/venv/bin:$PATH" PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY biaoti.py ./
COPY cli ./cli
COPY models ./models
COPY titles ./titles
COPY scoring ./scoring
COPY baselines ./baselines
COPY training ./training
COPY recipes ./recipes
COPY evaluation ./evaluation
COPY service ./service
RUN pip install -c constraints.txt ".[serve${EXTRAS:+,$EXTRAS}]"

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin biaoti
COPY --from=build /venv /venv
ENV PATH="/venv/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    HF_HUB_OFFLINE=1
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=90s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:8000/ready', timeout=8)"]
CMD ["biaoti", "serve", "--host", "0.0.0.0", "--port", "8000"]
