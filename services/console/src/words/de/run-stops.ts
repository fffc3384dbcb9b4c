import type { Texts } from '../../language/texts.ts';
import type { runStops as english } from '../en/run-stops.ts';

export const runStops: Texts<typeof english> = {
  stops: {
    finished: 'alle Seiten sind gelesen',
    page_limit: 'die Höchstzahl der Seiten ist erreicht',
    credit_limit: 'die Credits sind verbraucht',
    time_limit: 'die Höchstdauer ist erreicht',
    cancelled: 'er wurde abgebrochen',
    login_dead: 'die gespeicherte Anmeldung ist abgelaufen',
    site_down: 'die Website hat nicht geantwortet',
    refused: 'die Website hat jede Seite verweigert',
    robots: 'robots.txt verbietet jede Seite',
  },
  advice: {
    site_down: 'Prüfen Sie, ob die URL stimmt und die Website erreichbar ist, und starten Sie einen neuen Lauf.',
    refused:
      'Öffnen Sie eine Seite der Website in einem Browser. Ist sie dort lesbar, stellen Sie „Mit Browser lesen“ auf „Immer“ oder verwenden Sie einen Ausgang oder eine gespeicherte Anmeldung.',
    robots:
      'Gehört die Website Ihnen, erlauben Sie Tidemark in robots.txt oder schalten Sie „robots.txt beachten“ aus. Sonst muss ihr Betreiber es erlauben.',
    login_dead: 'Speichern Sie die Anmeldung neu, und starten Sie einen neuen Lauf.',
  },
};
