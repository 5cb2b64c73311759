# Makes the model that ships, from titles as DATA has them:
#
#     make --file release.mk DATA=FOLDER
#
# What is there is not made again, and a step that was interrupted goes on where it was. DATA holds
# thucnews/ (train.txt, more.txt, dev.txt, test.txt, class.txt) and newsrooms/ (classes.tsv,
# unlabelled.txt, and a folder of train.jsonl, dev.jsonl and test.jsonl for each newsroom).

BIAOTI ?= .venv/bin/biaoti
OUT ?= artifacts/release
NEWSROOMS := nlpcc2017 stock_topics toutiao2018 toutiao_hot weibo_hot

TRAIN := --train $(DATA)/thucnews/train.txt --train thucnews=$(DATA)/thucnews/more.txt \
    $(foreach each,$(NEWSROOMS),--train $(DATA)/newsrooms/$(each)/train.jsonl)
DEV := --dev $(DATA)/thucnews/dev.txt \
    $(foreach each,$(NEWSROOMS),--dev $(DATA)/newsrooms/$(each)/dev.jsonl)
MAP := --class-map $(DATA)/newsrooms/classes.tsv
MORE := $(DATA)/newsrooms/unlabelled.txt
BALANCE := --newsroom-balance 0.5 --label-balance 0.5

.PHONY: all
all: $(OUT)/released/artifact.json

# One pass over 320,000 titles, drawn so that small newsrooms and labels are read more often.
$(OUT)/encoder/artifact.json:
	$(BIAOTI) train encoder $(TRAIN) $(DEV) $(MAP) --corpus $(MORE) $(BALANCE) --epochs 1 \
	    --epoch-titles 320000 --augmentation 0.3 --consistency 0 --output $(@D)

$(OUT)/encoder-int8/artifact.json: $(OUT)/encoder/artifact.json
	$(BIAOTI) quantize $(<D) --method onnx --coverage 0.99 $(DEV) $(MAP) \
	    --calibration $(DATA)/thucnews/train.txt --max-drop 1 --output $(@D)

$(OUT)/%/artifact.json:
	$(BIAOTI) train $* $(TRAIN) $(DEV) $(MAP) --output $(@D)

$(OUT)/teacher/artifact.json: $(foreach each,encoder-int8 linear fasttext,$(OUT)/$(each)/artifact.json)
	$(BIAOTI) ensemble $(^:/artifact.json=) $(DEV) $(MAP) --output $(@D)

$(OUT)/student/artifact.json: $(OUT)/teacher/artifact.json
	$(BIAOTI) distill --teacher $(<D) --start $(OUT)/encoder --layers 4 --d-ff 1280 \
	    --vocabulary 12000 $(TRAIN) $(DEV) $(MAP) --unlabelled $(MORE) $(BALANCE) --epochs 3 \
	    --epoch-titles 500000 --augmentation 0.3 --output $(@D)

$(OUT)/released/artifact.json: $(OUT)/student/artifact.json
	$(BIAOTI) quantize $(<D) --method onnx $(DEV) $(MAP) --calibration $(DATA)/thucnews/train.txt \
	    --wanted-precision 0.9 --max-drop 0.3 --output $(@D)
