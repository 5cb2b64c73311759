# Makes the model that ships and those that it is compared with, from titles as DATA has them:
#
#     make --file release.mk DATA=FOLDER            the model
#     make --file release.mk DATA=FOLDER report     and the report of all models on the test titles
#
# BEFORE may name the folder of the model that shipped before, to be in the report, too. What is there
# is not made again, and a step that was interrupted goes on where it was. DATA holds
# thucnews/ (train.txt, more.txt, dev.txt, test.txt, class.txt) and newsrooms/ (classes.tsv and a
# folder of train.jsonl, dev.jsonl and test.jsonl for each newsroom).

BIAOTI ?= .venv/bin/biaoti
OUT ?= artifacts/release
NEWSROOMS := toutiao2018 nlpcc2017 toutiao_hot stock_topics weibo_hot

TRAIN := --train $(DATA)/thucnews/train.txt --train thucnews=$(DATA)/thucnews/more.txt \
    $(foreach each,$(NEWSROOMS),--train $(DATA)/newsrooms/$(each)/train.jsonl)
DEV := --dev $(DATA)/thucnews/dev.txt \
    $(foreach each,$(NEWSROOMS),--dev $(DATA)/newsrooms/$(each)/dev.jsonl)
TEST := --data $(DATA)/thucnews/test.txt \
    $(foreach each,$(NEWSROOMS),--data $(DATA)/newsrooms/$(each)/test.jsonl)
MAP := --class-map $(DATA)/newsrooms/classes.tsv

.PHONY: all report
all: $(OUT)/released/artifact.json

# A student of e5-small-zh that learns from labels alone: 420,000 titles, drawn so that small newsrooms
# and labels are read more often than they are large.
$(OUT)/labels-alone/artifact.json:
	$(BIAOTI) distill --alpha 0 --start e5-small-zh --layers 4 --d-ff 1280 --vocabulary 12000 \
	    $(TRAIN) $(DEV) $(MAP) --newsroom-balance 0.5 --label-balance 0.5 --epochs 1 \
	    --epoch-titles 420000 --evaluations-per-epoch 2 --learning-rate 5e-4 --augmentation 0.3 \
	    --output $(@D)

$(OUT)/released/artifact.json: $(OUT)/labels-alone/artifact.json
	$(BIAOTI) quantize $(<D) --method onnx $(DEV) $(MAP) --calibration $(DATA)/thucnews/train.txt \
	    --wanted-precision 0.9 --max-drop 0.3 --output $(@D)

$(OUT)/%/artifact.json:
	$(BIAOTI) train $* $(TRAIN) $(DEV) $(MAP) --output $(@D)

report: $(foreach each,labels-alone released linear fasttext,$(OUT)/$(each)/artifact.json)
	$(BIAOTI) compare $(OUT)/released student=$(OUT)/labels-alone $(OUT)/linear $(OUT)/fasttext \
	    $(if $(BEFORE),before=$(BEFORE)) $(TEST) $(MAP) $(TRAIN) --output $(OUT)/report
