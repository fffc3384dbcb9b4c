-- Why a requested extraction of a page of a batch has no values.
ALTER TABLE "batch_pages" ADD COLUMN "missing_values" TEXT;
