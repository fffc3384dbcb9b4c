export { type Catalogue, type Engine, enginesUpTo, loadCatalogue, type Plan, priceOf } from './catalogue.ts';
