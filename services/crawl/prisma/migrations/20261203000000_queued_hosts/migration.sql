-- Queued pages of each host in order: claims skip hosts that have no room without reading their pages.
CREATE INDEX "frontier_queued_host_idx" ON "frontier"("run_no", "host", "rank", "seq") WHERE "status" = 'queued';
