-- Unlogged: workers report it again after a loss.
CREATE UNLOGGED TABLE held_hosts (
  run_no bigint NOT NULL,
  host text NOT NULL,
  until timestamptz(3) NOT NULL,
  why text NOT NULL,
  PRIMARY KEY (run_no, host)
);

ALTER TABLE runs ADD COLUMN given_up text[] NOT NULL DEFAULT '{}';
