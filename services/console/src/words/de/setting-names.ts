import type { Texts } from '../../language/texts.ts';
import type { settingNames as english } from '../en/setting-names.ts';

export const settingNames: Texts<typeof english> = {
  name: { name: 'Name', hint: 'Steht in Listen anstelle der URL.' },
  seed: {
    name: 'Start-URL',
    hint: 'Hier beginnen Läufe. Sie kann sich innerhalb derselben Website ändern; eine andere Website braucht ein eigenes Projekt.',
  },
  tags: {
    name: 'Schlagwörter',
    hint: 'Eines pro Zeile. Projekte mit demselben Schlagwort werden zusammen aufgelistet, gestartet und verfolgt.',
  },
  schedule: { name: 'Zeitplan', hint: 'Wann Läufe von selbst beginnen.' },
  timezone: { name: 'Zeitzone', hint: 'Die Zeiten des Zeitplans gelten in dieser Zone.' },
  retention: {
    name: 'Daten der Läufe aufbewahren',
    unit: 'Tage',
    hint: 'Der neueste vollständige Lauf bleibt immer erhalten.',
  },
  max_pages: { name: 'Seiten eines Laufs höchstens', unit: 'Seiten', hint: 'Ein Lauf liest nie mehr Seiten.' },
  max_depth: {
    name: 'Links ab der Start-URL höchstens',
    unit: 'Links',
    hint: 'Weiter entfernte Seiten werden nicht gelesen.',
  },
  include_paths: {
    name: 'Nur diese Pfade',
    hint: 'Muster für Pfad und Abfrage: `/blog/**` ist alles unter /blog/, `*` bleibt in einem Teil des Pfads. `re:` beginnt einen regulären Ausdruck. Leer: jeder Pfad.',
  },
  exclude_paths: {
    name: 'Nie diese Pfade',
    hint: 'Muster derselben Art. Passende Seiten werden nicht gelesen.',
  },
  allow_subdomains: {
    name: 'Andere Hosts der Website einschließen',
    hint: 'Zum Beispiel blog.example.com neben example.com.',
  },
  use_sitemap: {
    name: 'Sitemaps der Website lesen',
    hint: 'Sie nennen Seiten, zu denen kein Link führt.',
  },
  sitemap_mode: {
    name: 'Sitemaps und Links',
    hint: 'Was davon zu Seiten führt.',
    choices: { auto: 'Sitemaps und Links', only: 'Nur Sitemaps', skip: 'Nur Links' },
  },
  sitemap_include: {
    name: 'Nur diese Sitemap-Dateien',
    hint: 'Muster für die URL der Datei. Leer: alle Dateien.',
  },
  sitemap_exclude: { name: 'Nie diese Sitemap-Dateien', hint: 'Muster für die URL der Datei.' },
  crawl_mode: {
    name: 'Reihenfolge der Seiten',
    hint: 'Welche Seiten zuerst kommen, wenn ein Lauf seine Grenze erreicht.',
    choices: {
      sitemap_first: 'Zuerst Seiten der Sitemaps, dann Links',
      links_first: 'Zuerst Links, dann Seiten der Sitemaps',
      sitemap_only: 'Nur Seiten der Sitemaps',
      list_only: 'Nur Seiten der Liste unten',
    },
  },
  url_list: { name: 'Liste von Seiten', hint: 'URLs, die zusätzlich zu den gefundenen gelesen werden.' },
  feeds: { name: 'Feeds', hint: 'RSS-, Atom- und JSON-Feeds, deren Einträge ebenfalls gelesen werden.' },
  ignore_query: {
    name: 'Parameter ignorieren',
    hint: 'URLs, die sich nur in diesen Parametern unterscheiden, sind eine Seite.',
  },
  keep_tracking: {
    name: 'Tracking-Parameter ergeben eine andere Seite',
    hint: 'URLs, die sich nur in utm_source und Ähnlichem unterscheiden, sind sonst eine Seite.',
  },
  respect_robots: {
    name: 'robots.txt beachten',
    hint: 'Seiten, die die Website dort ausschließt, werden nicht gelesen.',
  },
  time_limit_minutes: {
    name: 'Dauer eines Laufs höchstens',
    unit: 'Minuten',
    hint: 'Ein längerer Lauf endet mit den Seiten, die er gelesen hat.',
  },
  render_js: {
    name: 'Mit Browser lesen',
    hint: 'Ein Browser führt die Skripte einer Seite aus.',
    choices: { auto: 'Seiten, die einen brauchen', always: 'Immer', never: 'Nie' },
  },
  max_tier: {
    name: 'Teuerste Abrufart',
    hint: 'Eine Seite, die mehr braucht, gilt als nicht gelesen.',
    choices: { http: 'Einfache Anfrage', browser: 'Browser' },
  },
  use_proxy: {
    name: 'Ausgang verwenden',
    hint: 'Ausgänge sind andere Netzadressen dieser Installation.',
    choices: { auto: 'Wenn die Website eine direkte Anfrage verweigert', always: 'Für jede Seite', never: 'Nie' },
  },
  country: {
    name: 'Land des Ausgangs',
    hint: 'Seiten werden aus diesem Land gelesen. Dafür ist ein Ausgang dort nötig.',
  },
  timeout_seconds: {
    name: 'Auf eine Seite höchstens warten',
    unit: 'Sekunden',
    hint: 'Danach gilt die Seite als nicht erreichbar.',
  },
  max_age_seconds: {
    name: 'Gespeicherte Seite verwenden bis zum Alter von',
    unit: 'Sekunden',
    hint: 'Eine solche Seite kostet nichts und wird nicht erneut abgerufen. 0: Jede Seite wird abgerufen.',
  },
  max_credits_per_page: {
    name: 'Credits einer Seite höchstens',
    unit: 'Credits',
    hint: 'Begrenzt, welche Abrufarten versucht werden. Leer: keine Grenze.',
  },
  headers: {
    name: 'Header der Anfragen',
    hint: 'Werden mit jeder Anfrage an die Website gesendet. Geheime Werte werden nicht wieder gezeigt.',
  },
  cookies: {
    name: 'Cookies',
    hint: 'Werden mit jeder Anfrage an die Website gesendet. Werte werden nicht wieder gezeigt.',
  },
  device: {
    name: 'Gerät',
    hint: 'Viele Websites haben eine andere Seite für Telefone.',
    choices: { desktop: 'Computer', mobile: 'Telefon' },
  },
  user_agent: {
    name: 'Kennung des Browsers',
    hint: 'Ersetzt den Header User-Agent. Die Regeln von robots.txt für Tidemark gelten weiterhin.',
  },
  wait_for: {
    name: 'Vor dem Lesen warten',
    hint: 'Ein CSS-Selektor, der sichtbar sein muss, eine Zahl von Millisekunden oder network_idle.',
  },
  actions: {
    name: 'Schritte im Browser',
    hint: 'Was ein Browser auf jeder Seite tut, bevor sie gelesen wird, in dieser Reihenfolge.',
  },
  block_resources: {
    name: 'Bilder, Medien und Schriften auslassen',
    hint: 'Seiten laden schneller. Ein Screenshot lädt sie trotzdem.',
  },
  retries: {
    name: 'Fehlgeschlagene Anfrage wiederholen',
    unit: 'Mal',
    hint: 'Wenn keine Antwort kommt oder die Website überlastet ist.',
  },
  concurrency: { name: 'Anfragen gleichzeitig', unit: 'je Host', hint: 'Weniger schonen die Website.' },
  delay_ms: {
    name: 'Pause zwischen zwei Anfragen',
    unit: 'Millisekunden',
    hint: 'Mindestens so lange je Host; robots.txt kann mehr verlangen.',
  },
  login_id: {
    name: 'Gespeicherte Anmeldung',
    hint: 'Liest Seiten hinter einer Anmeldung. Ist sie abgelaufen, wird nichts gelesen.',
  },
  only_main_content: { name: 'Nur der Hauptinhalt', hint: 'Ohne Navigation, Banner und Fußzeilen.' },
  include_selectors: {
    name: 'Nur diese Teile',
    hint: 'CSS-Selektoren des Inhalts. Eine Seite ohne Treffer wird wie üblich gelesen.',
  },
  exclude_selectors: { name: 'Nie diese Teile', hint: 'CSS-Selektoren von Elementen, die entfernt werden.' },
  remove_banners: { name: 'Banner entfernen', hint: 'Cookie-Hinweise und Ähnliches.' },
  remove_base64_images: { name: 'Eingebettete Bilder entfernen', hint: 'Bilder, deren Daten Teil der Seite sind.' },
  omit_title_heading: {
    name: 'Wiederholten Titel auslassen',
    hint: 'Lässt die erste Überschrift des Inhalts aus, wo sie den Titel der Seite wiederholt.',
  },
  min_words: { name: 'Seiten auslassen mit weniger als', unit: 'Wörtern', hint: '0: Keine Seite wird ausgelassen.' },
  languages: { name: 'Nur diese Sprachen', hint: 'Zum Beispiel en oder pt-BR. Leer: jede Sprache.' },
  fields: { name: 'Felder', hint: 'Werte, die aus jeder Seite gelesen werden, zum Beispiel ein Preis.' },
  extract: {
    name: 'Werte durch ein Sprachmodell',
    hint: 'Ein Modell liest diese Werte aus jeder Seite. Sein Anbieter berechnet sie Ihnen.',
  },
  parse_documents: { name: 'Dokumente lesen', hint: 'PDF, Office-Dateien, Feeds, Daten und Bilder.' },
  template_changes: {
    name: 'Dieselbe Änderung auf vielen Seiten',
    hint: 'Zum Beispiel eine neue Jahreszahl in der Fußzeile.',
    choices: { fold: 'Einmal melden', each: 'Für jede Seite melden' },
  },
  volatile_selectors: {
    name: 'Teile, die sich immer ändern',
    hint: 'CSS-Selektoren von Inhalt, der bei jedem Besuch anders ist. Er wird nie als Änderung gemeldet.',
  },
  volatile_overrides: {
    name: 'Entscheidungen über ignorierte Änderungen',
    hint: 'Werden auf der Seite der Änderungen getroffen. Ohne Entscheidung gilt, was aus Läufen gelernt wird.',
  },
  formats: {
    name: 'Formate',
    hint: 'Was von jeder Seite gespeichert wird.',
    choices: {
      markdown: 'Markdown',
      text: 'Reiner Text',
      cleanHtml: 'HTML des Inhalts',
      rawHtml: 'HTML wie empfangen',
      links: 'Links',
    },
  },
  screenshot: {
    name: 'Screenshot',
    hint: 'Jede Seite wird dann von einem Browser gelesen.',
    choices: { none: 'Keiner', viewport: 'Sichtbarer Bereich', full: 'Ganze Seite' },
  },
  store_html: {
    name: 'HTML behalten',
    hint: 'Nötig, um Selektoren auf einer Seite zu wählen und ihr Markup zu vergleichen.',
    choices: { home: 'Für die Startseite', always: 'Für jede Seite' },
  },
  webhook_url: {
    name: 'URL des Webhooks',
    hint: 'Erhält signierte Nachrichten über Läufe und Änderungen.',
  },
  webhook_events: {
    name: 'Nachrichten',
    hint: 'Keine ausgewählt: alle.',
    choices: {
      'run.finished': 'Lauf beendet',
      'page.changed': 'Seite geändert',
      'page.blocked': 'Seite verweigert',
      'field.canonical': 'Kanonische URL geändert',
      'site.failing': 'Website gestört',
      'site.recovered': 'Website wieder in Ordnung',
      'map.completed': 'Sitemap gelesen',
      'page.orphaned': 'Seite ohne Links zu ihr',
      'page.linked': 'Seite wieder verlinkt',
      'alert.matched': 'Alarm',
      'sitemap.added': 'Seite neu in einer Sitemap',
      'sitemap.removed': 'Seite aus einer Sitemap entfernt',
      'sitemap.updated': 'Seite in einer Sitemap aktualisiert',
      'sitemap.file_added': 'Sitemap-Datei hinzugefügt',
      'sitemap.file_removed': 'Sitemap-Datei entfernt',
      'sync.finished': 'Übertragung beendet',
      'sync.failed': 'Übertragung fehlgeschlagen',
      'credits.low': 'Credits gehen zur Neige',
    },
  },
  webhook_metadata: { name: 'Daten in jeder Nachricht', hint: 'Ihre eigenen Werte, in jeder Nachricht wiederholt.' },
  notify_min_words: {
    name: 'Änderungen melden ab',
    unit: 'Wörtern',
    hint: 'Kleinere Änderungen werden festgehalten und nicht gemeldet. 0: Jede Änderung wird gemeldet.',
  },
  notify_emails: {
    name: 'E-Mail-Adressen',
    hint: 'Erhalten eine E-Mail, wenn ein Lauf mit etwas zu Meldendem endet.',
  },
  chat_url: {
    name: 'Chat-Kanal',
    hint: 'Der eingehende Webhook eines Kanals von Slack, Microsoft Teams, Discord, Mattermost oder Google Chat.',
  },
  alerts: {
    name: 'Alarme',
    hint: 'Regeln, die festlegen, welche Änderungen wichtig sind. Eine Änderung, die eine Regel erfüllt, wird markiert und sofort gemeldet oder für einen Tag oder eine Woche gesammelt.',
  },
  change_digest: {
    name: 'Zusammenfassung durch ein Sprachmodell',
    hint: 'Ein Modell fasst die Änderungen jedes Laufs kurz zusammen. Sein Anbieter berechnet sie Ihnen.',
  },
};
