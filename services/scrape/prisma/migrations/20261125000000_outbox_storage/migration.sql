-- A fact lives for seconds and is read once: compressing it, or keeping it in a table beside, costs more than it saves.
ALTER TABLE "outbox" ALTER COLUMN "payload" SET STORAGE EXTERNAL;
ALTER TABLE "outbox" SET (toast_tuple_target = 8160);
