import { ChargeKind, type CreditAccount, type UsageResponse } from '@tidemark/contracts/billing/v1/billing';
import { z } from 'zod';
import type { Account, PrismaClient } from '../generated/prisma/client.ts';
import type { PaidWorkspaces } from './paid-workspaces.ts';

const Kind = z.enum(ChargeKind);

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;

/** Maximum keys and projects that a month is listed by. */
const MAX_CAUSES = 100;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const startOfDay = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
const startOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));

const sumOf = (sum: { readonly pages: number | null; readonly credits: number | null } | undefined) => ({
  pages: sum?.pages ?? 0,
  credits: sum?.credits ?? 0,
});

/** Returns the credits that an account may still use, including reserved ones; undefined: no limit. */
function balanceOf(account: Account): number | undefined {
  const { allowanceLeft, welcomeLeft, purchasedLeft, overageRoom, overageUsed } = account;
  if (overageRoom === null) return undefined;
  return Number(allowanceLeft + welcomeLeft + purchasedLeft + overageRoom - overageUsed);
}

/** Reads balances and usage of workspaces. The usage of a workspace includes that of its sub-accounts. */
export class BillingViews {
  readonly #db: PrismaClient;
  readonly #paidWorkspaces: PaidWorkspaces;

  constructor({ db, paidWorkspaces }: { readonly db: PrismaClient; readonly paidWorkspaces: PaidWorkspaces }) {
    this.#db = db;
    this.#paidWorkspaces = paidWorkspaces;
  }

  async #month(workspaceIds: readonly string[], now: Date): Promise<{ pages: number; credits: number }> {
    const { _sum } = await this.#db.usageDay.aggregate({
      where: { workspaceId: { in: [...workspaceIds] }, day: { gte: startOfMonth(now) } },
      _sum: { pages: true, credits: true },
    });
    return sumOf(_sum);
  }

  /**
   * Returns the balance (undefined: no limit) and this month's usage; undefined if the workspace has no account yet. The balance of a sub-account is
   * what it may still spend: of its payer's credits, up to its cap; its members see what the cap leaves.
   */
  async balance(
    workspaceId: string,
    now: Date,
  ): Promise<
    | {
        plan: string;
        balance: number | undefined;
        visibleBalance: number | undefined;
        reserved: number;
        usedThisMonth: number;
      }
    | undefined
  > {
    const account = await this.#db.account.findUnique({ where: { workspaceId } });
    if (account === null) return undefined;
    const { payerId } = account;
    const [payer, paid] = await Promise.all([
      payerId === null ? account : this.#db.account.findUnique({ where: { workspaceId: payerId } }),
      payerId === null ? this.#paidWorkspaces(workspaceId) : [workspaceId],
    ]);
    const month = await this.#month(paid, now);
    const balance = payer === null ? undefined : balanceOf(payer);
    const reserved = Number(account.reserved);
    const own = { plan: account.plan, reserved, usedThisMonth: month.credits };
    if (payerId === null) return { ...own, balance, visibleBalance: balance };
    const ofPayer = balance === undefined ? undefined : balance - Number(payer?.reserved ?? 0) + reserved;
    const ofCap = account.cap === 0n ? undefined : Math.max(reserved, Number(account.cap) - month.credits);
    const limits = [ofPayer, ofCap].filter((limit) => limit !== undefined);
    return { ...own, balance: limits.length === 0 ? undefined : Math.min(...limits), visibleBalance: ofCap };
  }

  /** Returns the account of a workspace; undefined if it has none yet. */
  async account(workspaceId: string): Promise<CreditAccount | undefined> {
    const account = await this.#db.account.findUnique({ where: { workspaceId } });
    if (account === null) return undefined;
    return {
      plan: account.plan,
      allowance: account.allowance === null ? undefined : Number(account.allowance),
      allowanceLeft: Number(account.allowanceLeft),
      welcomeLeft: Number(account.welcomeLeft),
      purchasedLeft: Number(account.purchasedLeft),
      overageUsed: Number(account.overageUsed),
      overageRoom: account.overageRoom === null ? undefined : Number(account.overageRoom),
      reserved: Number(account.reserved),
      overageCap: Number(account.overageCap) || undefined,
      periodStart: account.periodStart ?? undefined,
      periodEnd: account.periodEnd ?? undefined,
      payerId: account.payerId ?? undefined,
    };
  }

  /** Returns usage of the last 30 days, oldest first, including days without usage, and of the current month. */
  async usage(workspaceId: string, now: Date): Promise<Omit<UsageResponse, 'tokens' | 'limits'>> {
    const first = new Date(startOfDay(now).getTime() - (USAGE_DAYS - 1) * DAY_MS);
    const paid = await this.#paidWorkspaces(workspaceId);
    const month = { workspaceId: { in: paid }, day: { gte: startOfMonth(now) } };
    const sums = { _sum: { pages: true, credits: true } } as const;
    // Equal sums are in the order of the names: two readings give one order.
    const bySum = { _sum: { credits: 'desc' } } as const;
    const [rows, total, kinds, actors, projects] = await Promise.all([
      this.#db.usageDay.groupBy({
        by: ['day'],
        where: { workspaceId: { in: paid }, day: { gte: first } },
        _sum: { pages: true, credits: true },
      }),
      this.#month(paid, now),
      this.#db.usageDay.groupBy({ by: ['kind'], where: month, ...sums, orderBy: [bySum, { kind: 'asc' }] }),
      this.#db.usageDay.groupBy({
        by: ['actorId'],
        where: month,
        ...sums,
        orderBy: [bySum, { actorId: 'asc' }],
        take: MAX_CAUSES,
      }),
      this.#db.usageDay.groupBy({
        by: ['projectId'],
        where: month,
        ...sums,
        orderBy: [bySum, { projectId: 'asc' }],
        take: MAX_CAUSES,
      }),
    ]);
    const used = new Map(rows.map((row) => [dayOf(row.day), row._sum]));
    const days = Array.from({ length: USAGE_DAYS }, (_, i) => {
      const day = dayOf(new Date(first.getTime() + i * DAY_MS));
      return { day, ...sumOf(used.get(day)) };
    });
    return {
      days,
      monthPages: total.pages,
      monthCredits: total.credits,
      byKind: kinds.map(({ kind, _sum }) => ({ kind: Kind.parse(kind), ...sumOf(_sum) })),
      byActor: actors.map(({ actorId, _sum }) => ({ actorId, ...sumOf(_sum) })),
      byProject: projects.map(({ projectId, _sum }) => ({ projectId, ...sumOf(_sum) })),
    };
  }
}
