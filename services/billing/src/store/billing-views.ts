import type { UsageDay } from '@tidemark/contracts/billing/v1/billing';
import type { PrismaClient } from '../generated/prisma/client.ts';

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Reads balances and usage of workspaces. */
export class BillingViews {
  readonly #db: PrismaClient;

  constructor(db: PrismaClient) {
    this.#db = db;
  }

  async #month(workspaceId: string, now: Date): Promise<{ pages: number; credits: number }> {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const { _sum } = await this.#db.usageDay.aggregate({
      where: { workspaceId, day: { gte: from } },
      _sum: { pages: true, credits: true },
    });
    return { pages: _sum.pages ?? 0, credits: _sum.credits ?? 0 };
  }

  /** Returns the balance (undefined: no limit) and this month's usage; undefined if the workspace has no account yet. */
  async balance(
    workspaceId: string,
    now: Date,
  ): Promise<{ plan: string; balance: number | undefined; reserved: number; usedThisMonth: number } | undefined> {
    const [account, month] = await Promise.all([
      this.#db.account.findUnique({ where: { workspaceId } }),
      this.#month(workspaceId, now),
    ]);
    if (account === null) return undefined;
    return {
      plan: account.plan,
      balance: account.balance === null ? undefined : Number(account.balance),
      reserved: Number(account.reserved),
      usedThisMonth: month.credits,
    };
  }

  /** Returns usage of the last 30 days, oldest first, including days without usage, and of the current month. */
  async usage(workspaceId: string, now: Date): Promise<{ days: UsageDay[]; monthPages: number; monthCredits: number }> {
    const first = new Date(
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) - (USAGE_DAYS - 1) * DAY_MS,
    );
    const [rows, month] = await Promise.all([
      this.#db.usageDay.findMany({ where: { workspaceId, day: { gte: first } } }),
      this.#month(workspaceId, now),
    ]);
    const used = new Map(rows.map((row) => [dayOf(row.day), row]));
    const days = Array.from({ length: USAGE_DAYS }, (_, i) => {
      const day = dayOf(new Date(first.getTime() + i * DAY_MS));
      return { day, pages: used.get(day)?.pages ?? 0, credits: used.get(day)?.credits ?? 0 };
    });
    return { days, monthPages: month.pages, monthCredits: month.credits };
  }
}
