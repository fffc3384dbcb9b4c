export { type Catalogue, type Engine, loadCatalogue, type Plan } from './catalogue.ts';
