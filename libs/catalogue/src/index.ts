export { type Catalogue, type Engine, loadCatalogue, planOf } from './catalogue.ts';
export { FEATURES, type Feature, type Pack, type Plan } from './plan.ts';
