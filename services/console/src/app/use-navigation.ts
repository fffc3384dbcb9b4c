import { useBilling } from '../api/billing.ts';
import { NAVIGATION } from './navigation.ts';

const WITHOUT_BILLING = NAVIGATION.map((group) => ({
  ...group,
  items: group.items.filter(({ to }) => to !== '/billing'),
}));

/** Returns the pages of the navigation. The page of the plan is among them where plans are sold. */
export function useNavigation(): typeof NAVIGATION {
  const billing = useBilling();
  return billing === undefined || billing.gateway === null ? WITHOUT_BILLING : NAVIGATION;
}
