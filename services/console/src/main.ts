import './styles.css';
import { loadTranslation } from './words/translation.ts';

// Modules of the application read their texts when they are evaluated, so that the language is loaded first. Nothing is awaited at the top level:
// the application imports chunks that wait for this module.
void loadTranslation()
  .then(() => import('./app/start.tsx'))
  .then(({ start }) => start());
