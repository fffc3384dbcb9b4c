export { type Catalogue, type Engine, loadCatalogue, type Plan, planOf } from './catalogue.ts';
