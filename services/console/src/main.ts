import './styles.css';
import { loadLanguage } from './app/load-language.ts';

// Modules of the application read their texts when they are evaluated, so that the language is loaded first. Nothing is awaited at the top level:
// the application imports chunks that wait for this module.
void loadLanguage()
  .then(() => import('./app/start.tsx'))
  .then(({ start }) => start());
