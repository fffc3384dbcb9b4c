import type { Catalogue, Plan } from '@tidemark/catalogue';

/** Returns a plan as the API shows it. */
export const shownPlan = (id: string, { name = id, ...plan }: Plan) => ({ id, name, ...plan });

/** Returns the plans of a catalogue as the API shows them, in its order. */
export const shownPlans = ({ plans }: Pick<Catalogue, 'plans'>) =>
  Object.entries(plans).map(([id, plan]) => shownPlan(id, plan));
