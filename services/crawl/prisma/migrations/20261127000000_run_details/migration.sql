-- none, waiting, read: whether the feeds it visits have been read.
ALTER TABLE runs ADD COLUMN feeds text NOT NULL DEFAULT 'none';
-- It has had its time by its project's retention.
ALTER TABLE runs ADD COLUMN expired boolean NOT NULL DEFAULT false;
-- It is being thrown away: nobody sees it any more. What the run named here needs of it stays elsewhere.
ALTER TABLE runs ADD COLUMN discarding boolean NOT NULL DEFAULT false;
ALTER TABLE runs ADD COLUMN needed_by text NOT NULL DEFAULT '';

-- What is seldom asked for of a run, beside its row, which is read with every page.
CREATE TABLE run_details (
  run_no bigint PRIMARY KEY,
  -- The configuration it was settled from.
  config_json text NOT NULL DEFAULT '',
  -- What each feed gave: url, outcome, addresses, error.
  feeds jsonb NOT NULL DEFAULT '[]',
  -- How its addresses were found: found_via, addresses, pages. None until it has ended.
  found jsonb
);

-- What happened to a run, for its owner. Of lines that are alike there are two at most: the first and the last.
CREATE TABLE run_log (
  run_no bigint NOT NULL,
  what text NOT NULL,
  alike text NOT NULL,
  is_last boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Lines of its kind this one stands for.
  times integer NOT NULL DEFAULT 1,
  why text NOT NULL,
  seq bigserial NOT NULL,
  PRIMARY KEY (run_no, what, alike, is_last)
);

-- Runs to be thrown away: those begun with, and those whose time is over.
CREATE INDEX runs_discarding_idx ON runs (no) WHERE discarding OR expired;
