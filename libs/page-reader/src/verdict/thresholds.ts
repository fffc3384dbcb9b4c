/**
 * Thresholds of the stage "verdict". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds verdict --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// challenge.ts
/**
 * Words. A page with as many is no challenge.
 * Effect: none on 796 pages: kept as a bound.
 */
export const WALL_BODY_WORDS = 400;
/**
 * Words. A page with the markup of a wall and fewer is a challenge.
 * Effect: none on 796 pages: kept as a bound.
 */
export const CERTAIN_WALL_WORDS = 40;
/**
 * Words. A page with a captcha in a frame and fewer is a challenge.
 * Effect: none on 796 pages: kept as a bound.
 */
export const FRAME_WALL_WORDS = 5;
/**
 * Words. A page with a widget that nothing explains and fewer is a challenge.
 * Effect: none on 796 pages: kept as a bound.
 */
export const WIDGET_WALL_WORDS = 15;
/**
 * Words. A page that states a challenge without markup of one has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_WALL_WORDS = 120;
/**
 * Words. A page this short may be a challenge. A longer one is content about them.
 * Effect: 75 -0.0069 verdicts (1 page), 300 none of 796 pages.
 */
export const WALL_WORDS = 150;

// classify.ts
/**
 * Words. A page with fewer words is kept with the warning `short`.
 * Effect: 25 +0.0000 verdicts (7 pages), 100 +0.0000 verdicts (23 pages) of 796 pages.
 */
export const SHORT_WORDS = 50;

// consent-wall.ts
/**
 * Words. A page with this many words about anything else has content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const CONSENT_WALL_OTHER_WORDS = 5;
/**
 * Words. A page with more words has content below the request.
 * Effect: none on 796 pages: kept as a bound.
 */
export const MAX_WORDS = 300;

// failures.ts
/**
 * Words. A parked domain has at most as many in its content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PARKED_WORDS = 120;
/**
 * Words. A parked domain has at most as many on the page.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PARKED_BODY_WORDS = 300;
/**
 * Words. An error object in the body has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ERROR_BODY_WORDS = 60;

// login-wall.ts
/**
 * Words. A page with as many in its content is a log-in only if the site presents itself beside the form.
 * Effect: none on 796 pages: kept as a bound.
 */
export const CONTENT_WORDS = 200;
/**
 * Paragraphs. A page with as many is treated alike.
 * Effect: none on 796 pages: kept as a bound.
 */
export const CONTENT_PARAGRAPHS = 6;
/**
 * Words. A page with as many is a log-in only if its title says so.
 * Effect: none on 796 pages: kept as a bound.
 */
export const LOGIN_BODY_WORDS = 300;
/**
 * Points. Sum of proof and name from which a page is a log-in.
 * Effect: 2 -0.0015 real pages (1 page), 6 -0.0278 verdicts (4 pages) of 796 pages.
 */
export const LOGIN_SCORE = 3;
/**
 * Characters. A heading that names the log-in has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const LOGIN_HEADING_CHARS = 80;
/**
 * Fields. The form of an account has at most as many.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ACCOUNT_FIELDS = 3;
/**
 * Words. A page with the form of an account has fewer in its content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ACCOUNT_FORM_WORDS = 60;
/**
 * Words. A page with the form of an account has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ACCOUNT_BODY_WORDS = 150;
/**
 * Links. A page with the form of an account has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ACCOUNT_LINKS = 30;
/**
 * Words. A password field counts twice on a page with fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PASSWORD_WORDS = 120;
/**
 * Words. The texts of a form count on a page with fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const FORM_TEXT_WORDS = 150;
/**
 * Links. A page with more is part of a site, which lowers the score.
 * Effect: none on 796 pages: kept as a bound.
 */
export const SITE_LINKS = 80;
/**
 * Blocks. A page with more like blocks is treated alike.
 * Effect: none on 796 pages: kept as a bound.
 */
export const SITE_BLOCKS = 12;
/**
 * Words. The title of a page with fewer counts for more.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_TITLE_WORDS = 15;
/**
 * Images. The same page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_TITLE_IMAGES = 3;
/**
 * Words. A page that only offers a provider of log-ins has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PROVIDER_WORDS = 20;
/**
 * Words. A page that offers several providers has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PROVIDERS_WORDS = 100;
/**
 * Words. A log-in page on which the site presents itself next to the form has fewer words.
 * Effect: none on 796 pages: kept as a bound.
 */
export const PRESENTED_WITHIN = 400;
/**
 * Words. A longer part of a title or heading that does not start with the log-in has another subject, such as a question.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NAME_WORDS = 3;

// not-found.ts
/**
 * Words. A page with as many in its content needs more than its title to be missing.
 * Effect: none on 796 pages: kept as a bound.
 */
export const KEPT_WORDS = 150;
/**
 * Words. The same page has as many in all.
 * Effect: none on 796 pages: kept as a bound.
 */
export const KEPT_BODY_WORDS = 40;
/**
 * Words. The statement of a page with fewer counts twice.
 * Effect: none on 796 pages: kept as a bound.
 */
export const STATED_WORDS = 150;
/**
 * Words. A status named in the first sentences counts on a page with fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const STATUS_WORDS = 120;
/**
 * Words. A bare sentence of a server is the whole of a page with fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_WORDS = 40;
/**
 * Characters. A title with as many is that of an article.
 * Effect: none on 796 pages: kept as a bound.
 */
export const MISSING_NAME_CHARS = 140;
/**
 * Words. A page with more has content, which lowers the score.
 * Effect: 125 none, 500 +0.0000 verdicts (1 page) of 796 pages.
 */
export const LONG_WORDS = 250;
/**
 * Paragraphs. A long page with more has certainly content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const LONG_PARAGRAPHS = 4;
/**
 * Paragraphs. A page with more has content, whatever its words.
 * Effect: none on 796 pages: kept as a bound.
 */
export const MANY_PARAGRAPHS = 8;
/**
 * Words. Number of own words up to which any sentence of a missing page counts.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NOT_FOUND_SHORT_WORDS = 60;
/**
 * Points. Minimum score of a soft 404. Lower scores above 0 are a signal only.
 * Effect: 2 none, 6 -0.0139 verdicts (3 pages) of 796 pages.
 */
export const MISSING_SCORE = 3;
/**
 * Words. Other words of a title that calls its page missing. A title with more may be that of an article.
 * Effect: 2 none, 8 +0.0000 verdicts (1 page) of 796 pages.
 */
export const NOT_FOUND_OTHER_WORDS = 4;

// refused.ts
/**
 * Words. A page with the mark of a wall and at most as many refuses.
 * Effect: none on 796 pages: kept as a bound.
 */
export const MARK_WORDS = 15;

// shell.ts
/**
 * Words. A page of frames has fewer of its own.
 * Effect: none on 796 pages: kept as a bound.
 */
export const FRAMESET_WORDS = 40;
/**
 * Words. A page that only leads on has fewer.
 * Effect: 5 none, 20 -0.0069 verdicts (1 page) of 796 pages.
 */
export const REFRESH_WORDS = 10;
/**
 * Words. A page whose root of an application is empty has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const EMPTY_ROOT_WORDS = 60;
/**
 * Words. The same page, whatever its frame, has fewer in its content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const EMPTY_ROOT_CONTENT = 5;
/**
 * Words. A page without scripts that only says it waits has fewer.
 * Effect: 4 -0.0069 verdicts (1 page), 16 none of 796 pages.
 */
export const WAITING_WORDS = 8;
/**
 * Words. A page with scripts and fewer is a shell.
 * Effect: 2 -0.0069 verdicts (1 page), 8 none of 796 pages.
 */
export const BLANK_WORDS = 4;
/**
 * Words. A page with scripts that ends in an ellipsis and has fewer is a shell.
 * Effect: none on 796 pages: kept as a bound.
 */
export const ELLIPSIS_WORDS = 12;
/**
 * Words. A page that says it loads has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const LOADING_WORDS = 60;
/**
 * Words. A page of several or long scripts with fewer is a shell.
 * Effect: none on 796 pages: kept as a bound.
 */
export const SCRIPTED_WORDS = 15;
/**
 * Characters. Scripts are long with more.
 * Effect: none on 796 pages: kept as a bound.
 */
export const SCRIPTED_CHARS = 2_000;
/**
 * Words. A page with a root of an application and fewer in its content is a shell.
 * Effect: none on 796 pages: kept as a bound.
 */
export const APP_WORDS = 15;
/**
 * Characters. The same page has scripts with more.
 * Effect: none on 796 pages: kept as a bound.
 */
export const APP_SCRIPT_CHARS = 20_000;
/**
 * Links. The same page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const APP_LINKS = 5;
/**
 * Words. A page that says it needs scripts has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NEEDS_SCRIPT_WORDS = 80;
/**
 * Words. The same where a noscript says it: words of the content.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NOTED_WORDS = 40;
/**
 * Words. A bare page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_SHELL_WORDS = 30;
/**
 * Images. A bare page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_SHELL_IMAGES = 3;
/**
 * Links. A bare page has fewer.
 * Effect: none on 796 pages: kept as a bound.
 */
export const BARE_SHELL_LINKS = 5;
/**
 * Seconds. A meta refresh within as many is the only purpose of a page.
 * Effect: none on 796 pages: kept as a bound.
 */
export const REFRESH_SECONDS = 10;
/**
 * Characters. Length of the shortest sentence, in the scripts that need the fewest characters.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NOTICE_CHARS = 12;

// signals.ts
/**
 * Links. Minimum number of links of a page that is part of a site.
 * Effect: 15 +0.0000 verdicts (691 pages), 60 +0.0000 verdicts (666 pages) of 796 pages.
 */
export const MANY_LINKS = 30;

// statements.ts
/**
 * Words. A page with this many words that state nothing of a refusal has text of its own: it is never refused for its title or headings, which may have a refusal as their subject.
 * Effect: 6 -0.0139 verdicts (2 pages), 24 none of 796 pages.
 */
export const OWN_WORDS = 12;
/**
 * Words. A sentence of the text is a statement of the page if the page has fewer other words.
 * Effect: none on 796 pages: kept as a bound.
 */
export const STATED_WITHIN = 20;
/**
 * Words. The same, if the title or a heading makes the statement too.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NAMED_WITHIN = 150;
/**
 * Words. A page that its title or heading names, and that leads back, has fewer other words.
 * Effect: 20 +0.0000 verdicts (2 pages), 80 none of 796 pages.
 */
export const LED_BACK_WITHIN = 40;
/**
 * Headings. Headings that may name what the page is.
 * Effect: none on 796 pages: kept as a bound.
 */
export const NAMING_HEADINGS = 3;

// Bounds
// robots-directives.ts
/** Rules of robots directives that are read. */
export const MAX_RULES = 50;
