/**
 * Thresholds of the stage "main content". A threshold has its unit, its meaning and its effect: the change of the stage's figure with
 * half and double the value (`npm run eval -- thresholds main --write`). Bounds of sizes and of work follow; ordinary pages stay below them.
 */

// choose-main.ts
/**
 * Words. A paragraph with as many words weighs as a sentence.
 * Effect: 5 -0.0004 (1 page), 20 -0.0009 (8 pages) of 435 pages.
 */
export const WEIGHED_WORDS = 10;
/**
 * Share of prose. A declared element is ignored if another of its make has more than this share of its prose.
 * Effect: 0.125 +0.0000 (1 page), 0.5 -0.0000 (1 page) of 435 pages.
 */
export const SIMILAR_SHARE = 0.25;
/**
 * Share. A child with at least this share of its parent's prose is entered.
 * Effect: 0.43 -0.0288 (104 pages), 0.93 -0.0017 (30 pages) of 435 pages.
 */
export const NARROWING_SHARE = 0.86;
/**
 * Share. Minimum share of the prose for an element that the page declares as its content.
 * Effect: 0.25 -0.0003 (9 pages), 1 -0.0029 (25 pages) of 435 pages.
 */
export const DECLARED_SHARE = 0.5;
/**
 * Share. The same for the only element that microdata declares as the body of an article. https://schema.org/articleBody.
 * Effect: 0.125 none, 0.5 -0.0010 (1 page) of 435 pages.
 */
export const ONLY_BODY_SHARE = 0.25;
/**
 * Weight of a word. A word in a link, beside 1 for another word.
 * Effect: 0.05 +0.0000 (1 page), 0.2 -0.0001 (4 pages) of 435 pages.
 */
export const LINK_WEIGHT = 0.1;

// clean-main.ts
/**
 * Words. A box of an author in a conversation has fewer.
 * Effect: 40 -0.0000 (1 page), 160 +0.0005 (1 page) of 435 pages.
 */
export const AUTHOR_BOX_WORDS = 80;
/**
 * Words. A box that is a biography or a byline by its name has fewer.
 * Effect: 20 -0.0004 (3 pages), 80 none of 435 pages.
 */
export const BIOGRAPHY_WORDS = 40;
/**
 * Share of the content. The same box holds less of the content.
 * Effect: none on 435 pages: kept as a bound.
 */
export const BIOGRAPHY_SHARE = 0.2;
/**
 * Share of the content. A box of related content holds less.
 * Effect: 0.15 +0.0000 (1 page), 0.6 +0.0000 (2 pages) of 435 pages.
 */
export const RELATED_SHARE = 0.3;
/**
 * Share of link text. A box of related content has more of it, or few words.
 * Effect: 0.15 +0.0000 (1 page), 0.6 none of 435 pages.
 */
export const RELATED_DENSITY = 0.3;
/**
 * Words. A box of related content with fewer is dropped whatever its share of link text.
 * Effect: 30 +0.0001 (9 pages), 120 -0.0000 (3 pages) of 435 pages.
 */
export const RELATED_WORDS = 60;
/**
 * Words. A list of buttons to share has at most as many.
 * Effect: 15 +0.0000 (1 page), 60 +0.0000 (1 page) of 435 pages.
 */
export const SHARE_BUTTONS_WORDS = 30;
/**
 * Share of link text. A list of links has at least as much.
 * Effect: 0.4 -0.0008 (52 pages), 0.9 -0.0004 (26 pages) of 435 pages.
 */
export const LINK_LIST_DENSITY = 0.8;
/**
 * Share of the content. A list of links holds at most as much of the content.
 * Effect: 0.15 -0.0004 (4 pages), 0.6 +0.0000 (1 page) of 435 pages.
 */
export const LINK_LIST_SHARE = 0.3;
/**
 * Share of link text. A line of navigation inside the content has more.
 * Effect: none on 435 pages: kept as a bound.
 */
export const NAVIGATION_DENSITY = 0.95;
/**
 * Words. A line of navigation inside the content has fewer.
 * Effect: 6 -0.0001 (4 pages), 24 +0.0000 (2 pages) of 435 pages.
 */
export const NAVIGATION_WORDS = 12;
/**
 * Words. A list of links has more; a shorter one is a reference in the text.
 * Effect: 2 +0.0000 (17 pages), 6 -0.0001 (21 pages) of 435 pages.
 */
export const LINK_LIST_WORDS = 3;
/**
 * Words. Small print such as times and bylines has at most as many.
 * Effect: 7 -0.0002 (24 pages), 28 +0.0002 (10 pages) of 435 pages.
 */
export const SMALL_PRINT_WORDS = 14;
/**
 * Words. A caption by its name has fewer.
 * Effect: 40 -0.0000 (3 pages), 160 +0.0000 (1 page) of 435 pages.
 */
export const CAPTION_WORDS = 80;
/**
 * Share of the content. A heading that ends the text stands after more of it.
 * Effect: 0.15 +0.0000 (1 page), 0.6 -0.0002 (5 pages) of 435 pages.
 */
export const TEXT_BEFORE_END_SHARE = 0.3;
/**
 * Words. A heading that ends the text has fewer.
 * Effect: 6 -0.0000 (2 pages), 24 none of 435 pages.
 */
export const END_HEADING_WORDS = 12;
/**
 * Words. A label in the place of a heading has fewer.
 * Effect: 4 -0.0000 (3 pages), 16 -0.0004 (4 pages) of 435 pages.
 */
export const END_LABEL_WORDS = 8;
/**
 * Elements. A label in the place of a heading has fewer children.
 * Effect: 2 -0.0000 (3 pages), 8 none of 435 pages.
 */
export const END_LABEL_CHILDREN = 4;
/**
 * Share of the content. Of a longer section after the end, with little link text, only the heading is dropped.
 * Effect: 0.175 none, 0.7 -0.0004 (2 pages) of 435 pages.
 */
export const LONG_SECTION_SHARE = 0.35;
/**
 * Share of link text. A long section after the end with more of it is dropped as a whole.
 * Effect: none on 435 pages: kept as a bound.
 */
export const LONG_SECTION_DENSITY = 0.5;
/**
 * Headings. A heading that occurs as often heads parts of a text.
 * Effect: 2 +0.0000 (1 page), 6 -0.0007 (2 pages) of 435 pages.
 */
export const RECURRENCES = 3;

// closing-note.ts
/**
 * Words of prose. A closing note has fewer.
 * Effect: none on 435 pages: kept as a bound.
 */
export const NOTE_WORDS = 60;
/**
 * Share of the prose. A closing note holds less.
 * Effect: none on 435 pages: kept as a bound.
 */
export const NOTE_SHARE = 0.2;
/**
 * Paragraphs. A shorter section below a line with a colon is what the line introduces, such as a quotation.
 * Effect: none on 435 pages: kept as a bound.
 */
export const LABELLED_PARAGRAPHS = 2;
/**
 * Words. The label of a closing note has at most as many.
 * Effect: 3 none, 12 +0.0002 (3 pages) of 435 pages.
 */
export const CLOSING_NOTE_LABEL_WORDS = 6;

// conversation.ts
/**
 * Words. A text of more words than this with comments below it is an article.
 * Effect: 150 +0.0000 (1 page), 600 none of 435 pages.
 */
export const OPENING_CAP = 300;
/**
 * Words. Comments with fewer words than this say nothing about the page.
 * Effect: none on 435 pages: kept as a bound.
 */
export const MIN_COMMENT_WORDS = 40;
/**
 * Words. A text with fewer and its comments are one conversation if the comments are long enough.
 * Effect: none on 435 pages: kept as a bound.
 */
export const SHORT_OPENING = 120;
/**
 * Ratio of words. The comments of a short text have at least this part of its length.
 * Effect: none on 435 pages: kept as a bound.
 */
export const SHORT_SHARE = 0.7;
/**
 * Words. Fewer words are the notice of a form for comments.
 * Effect: 6 +0.0002 (1 page), 24 none of 435 pages.
 */
export const MIN_SHORT_WORDS = 12;

// declared-article.ts
/**
 * Articles. A page that describes more articles than this is a list of them.
 * Effect: 1 -0.0002 (1 page), 4 none of 435 pages.
 */
export const ARTICLES_CAP = 2;

// drop-chrome.ts
/**
 * Words. On shorter pages names are followed however much they remove.
 * Effect: 50 none, 200 +0.0000 (1 page) of 435 pages.
 */
export const NAMED_PAGE_WORDS = 100;
/**
 * Share of the page. A form with less is dropped.
 * Effect: 0.2 -0.0004 (2 pages), 0.8 -0.0008 (1 page) of 435 pages.
 */
export const FORM_SHARE = 0.4;
/**
 * Share of the page. An aside with less is dropped.
 * Effect: 0.25 +0.0000 (2 pages), 1 +0.0000 (1 page) of 435 pages.
 */
export const ASIDE_SHARE = 0.5;
/**
 * Share of link text. A menu element with more is dropped.
 * Effect: 0.25 none, 1 -0.0000 (1 page) of 435 pages.
 */
export const MENU_DENSITY = 0.5;
/**
 * Share of the page. A navigation, dialog or similar element with less is dropped.
 * Effect: 0.3 +0.0000 (7 pages), 0.8 +0.0000 (4 pages) of 435 pages.
 */
export const CHROME_TAG_SHARE = 0.6;
/**
 * Share of the page. Comments with less are dropped, except in a conversation.
 * Effect: 0.45 +0.0000 (4 pages), 0.95 none of 435 pages.
 */
export const COMMENTS_SHARE = 0.9;
/**
 * Share of link text. A section of prose has at most as much.
 * Effect: 0.2 +0.0000 (5 pages), 0.8 +0.0000 (2 pages) of 435 pages.
 */
export const SECTION_DENSITY = 0.4;
/**
 * Words. A consent banner that is also named as content has fewer.
 * Effect: none on 435 pages: kept as a bound.
 */
export const CONSENT_WORDS = 40;
/**
 * Share of the page. A consent banner holds less.
 * Effect: 0.15 +0.0000 (2 pages), 0.6 +0.0001 (2 pages) of 435 pages.
 */
export const CONSENT_SHARE = 0.3;
/**
 * Share of the page. An advertisement holds less.
 * Effect: none on 435 pages: kept as a bound.
 */
export const ADVERT_SHARE = 0.2;
/**
 * Words. A longer box with little link text is no advertisement.
 * Effect: 40 -0.0000 (2 pages), 160 +0.0000 (2 pages) of 435 pages.
 */
export const ADVERT_WORDS = 80;
/**
 * Share of link text. A long box with less of it is no advertisement.
 * Effect: none on 435 pages: kept as a bound.
 */
export const ADVERT_DENSITY = 0.3;
/**
 * Share of the page. A box that its name calls navigation holds less.
 * Effect: 0.15 +0.0000 (11 pages), 0.6 +0.0000 (5 pages) of 435 pages.
 */
export const NAMED_CHROME_SHARE = 0.3;
/**
 * Share of link text. A box that its name calls navigation has more, or few words.
 * Effect: 0.2 +0.0000 (6 pages), 0.8 +0.0000 (11 pages) of 435 pages.
 */
export const NAMED_CHROME_DENSITY = 0.4;
/**
 * Words. A shorter box that its name calls navigation is dropped whatever its share of link text.
 * Effect: 15 -0.0001 (17 pages), 60 +0.0002 (7 pages) of 435 pages.
 */
export const NAMED_CHROME_WORDS = 30;
/**
 * Share of the page. A box that its name calls a footer holds less.
 * Effect: 0.125 -0.0004 (5 pages), 0.5 +0.0000 (2 pages) of 435 pages.
 */
export const NAMED_FOOTER_SHARE = 0.25;
/**
 * Share of link text. A box that its name calls content too, with less of it, is dropped only if small.
 * Effect: 0.25 +0.0000 (1 page), 1 +0.0000 (7 pages) of 435 pages.
 */
export const NAMED_CONTENT_DENSITY = 0.5;
/**
 * Share of the page. The largest such box that is dropped.
 * Effect: 0.025 +0.0000 (8 pages), 0.1 +0.0000 (2 pages) of 435 pages.
 */
export const NAMED_CONTENT_SHARE = 0.05;
/**
 * Share of the page. Any other box with a name of the frame holds less.
 * Effect: 0.175 +0.0000 (14 pages), 0.7 -0.0001 (15 pages) of 435 pages.
 */
export const NAMED_SHARE = 0.35;
/**
 * Words. A footer in a quotation is dropped only if longer: a short one names the source.
 * Effect: none on 435 pages: kept as a bound.
 */
export const QUOTED_FOOTER_WORDS = 60;
/**
 * Share of the page. A footer inside a section with at least as much is kept.
 * Effect: 0.25 +0.0000 (1 page), 1 none of 435 pages.
 */
export const FOOTER_SHARE = 0.5;
/**
 * Share of the page. A header with more is kept.
 * Effect: 0.2 +0.0000 (11 pages), 0.8 +0.0000 (7 pages) of 435 pages.
 */
export const HEADER_SHARE = 0.4;
/**
 * Share of link text. A header of an entry with more is dropped.
 * Effect: 0.3 +0.0000 (17 pages), 0.8 +0.0000 (3 pages) of 435 pages.
 */
export const ENTRY_HEADER_DENSITY = 0.6;
/**
 * Words. A header of an entry with at most as many is kept.
 * Effect: 4 +0.0000 (4 pages), 16 -0.0001 (5 pages) of 435 pages.
 */
export const ENTRY_HEADER_WORDS = 8;
/**
 * Share of link text. A header with a headline and more of it is dropped.
 * Effect: 0.25 +0.0000 (5 pages), 1 +0.0000 (9 pages) of 435 pages.
 */
export const HEADLINE_HEADER_DENSITY = 0.5;
/**
 * Words. A form with more, mostly prose, holds content.
 * Effect: 75 none, 300 -0.0008 (1 page) of 435 pages.
 */
export const FORM_PROSE_WORDS = 150;
/**
 * Share of link text. The same box has less.
 * Effect: none on 435 pages: kept as a bound.
 */
export const FORM_PROSE_DENSITY = 0.4;
/**
 * Marks of punctuation. The same box has more.
 * Effect: none on 435 pages: kept as a bound.
 */
export const FORM_PROSE_PUNCTUATION = 10;
/**
 * Share of the page. If names would remove more of the page than this share, they are ignored.
 * Effect: 0.465 -0.0055 (83 pages), 0.965 -0.0001 (2 pages) of 435 pages.
 */
export const CHROME_SHARE_CAP = 0.93;
/**
 * Ratio of words. Boxes with doubted names that hold this many times the words of all the rest are the content.
 * Effect: 1 -0.0001 (3 pages), 4 none of 435 pages.
 */
export const DOUBTED_FACTOR = 2;
/**
 * Share. Reviews with a larger share are all that a page has.
 * Effect: 0.45 +0.0000 (1 page), 0.95 none of 435 pages.
 */
export const REVIEWS_SHARE = 0.9;
/**
 * Words. Words of prose in a section of a page, at least.
 * Effect: 10 -0.0001 (28 pages), 40 -0.0000 (21 pages) of 435 pages.
 */
export const SECTION_WORDS = 20;
/**
 * Words. Longer boxes are not a section: a dialog with terms, the whole sidebar.
 * Effect: 200 +0.0004 (2 pages), 800 -0.0002 (2 pages) of 435 pages.
 */
export const SECTION_WORDS_CAP = 400;
/**
 * Share. Share of link text in a box of prose.
 * Effect: none on 435 pages: kept as a bound.
 */
export const PROSE_LINKS = 0.2;
/**
 * Share. Words of the heading in the header of an entry; the others name an author, a date, a section.
 * Effect: 0.25 +0.0000 (3 pages), 1 +0.0000 (2 pages) of 435 pages.
 */
export const TITLE_SHARE = 0.5;
/**
 * Fields. Fields of a form that is filled in, at least; a text area counts as two.
 * Effect: 2 none, 8 +0.0000 (1 page) of 435 pages.
 */
export const MIN_FIELDS = 4;

// end-of-content.ts
/**
 * Share of siblings. A run of siblings with as many teasers is other content.
 * Effect: 0.35 -0.0004 (1 page), 0.85 -0.0013 (2 pages) of 435 pages.
 */
export const TEASERS_SHARE = 0.7;
/**
 * Share of link text. A headline of a teaser has at least as much.
 * Effect: 0.35 none, 0.85 -0.0016 (1 page) of 435 pages.
 */
export const HEADLINE_LINK_SHARE = 0.7;
/**
 * Words. A label before a run of teasers has fewer.
 * Effect: 4 +0.0000 (1 page), 16 none of 435 pages.
 */
export const RUN_LABEL_WORDS = 8;
/**
 * Words. A line with as many before a dropped part is text, not its label.
 * Effect: 6 +0.0000 (1 page), 24 none of 435 pages.
 */
export const LABEL_BEFORE_WORDS = 12;
/**
 * Words. A label before a dropped part that is no heading has fewer.
 * Effect: 4 +0.0000 (1 page), 16 none of 435 pages.
 */
export const LEAF_LABEL_WORDS = 8;
/**
 * Elements. Like siblings that make a list of other content.
 * Effect: 2 -0.0006 (2 pages), 6 -0.0001 (3 pages) of 435 pages.
 */
export const END_OF_CONTENT_RUN_LENGTH = 3;
/**
 * Words. A teaser has fewer.
 * Effect: 75 -0.0022 (4 pages), 300 -0.0002 (2 pages) of 435 pages.
 */
export const TEASER_WORDS = 150;
/**
 * Words. A teaser in a conversation has fewer, as most posts have more.
 * Effect: none on 435 pages: kept as a bound.
 */
export const FORUM_TEASER_WORDS = 60;
/**
 * Share. Share of link text in a teaser without a heading.
 * Effect: 0.2 +0.0002 (3 pages), 0.8 +0.0002 (3 pages) of 435 pages.
 */
export const END_OF_CONTENT_LINK_SHARE = 0.4;
/**
 * Words. Text that must precede other content.
 * Effect: 30 +0.0000 (1 page), 120 -0.0012 (5 pages) of 435 pages.
 */
export const WORDS_BEFORE = 60;
/**
 * Share of the prose. Text that must precede other content, of the prose outside it.
 * Effect: 0.25 none, 1 +0.0000 (1 page) of 435 pages.
 */
export const SHARE_BEFORE = 0.5;
/**
 * Lines. Words of prose after a run of teasers that make it a part of the text.
 * Effect: 10 +0.0000 (1 page), 40 -0.0003 (2 pages) of 435 pages.
 */
export const END_OF_CONTENT_WORDS_AFTER = 20;
/**
 * Words. Words of the text before a run whose label is no heading.
 * Effect: none on 435 pages: kept as a bound.
 */
export const WORDS_BEFORE_LABEL = 8;
/**
 * Share. An element with this share of the prose is the text.
 * Effect: 0.35 -0.0026 (43 pages), 0.85 -0.0004 (11 pages) of 435 pages.
 */
export const END_OF_CONTENT_TEXT_SHARE = 0.7;
/**
 * Words of prose. A block with fewer adds nothing to the text before it.
 * Effect: 10 +0.0001 (6 pages), 40 -0.0005 (6 pages) of 435 pages.
 */
export const ADDITION_WORDS = 20;
/**
 * Share of the prose. A block with less adds nothing to the text before it.
 * Effect: 0.025 +0.0002 (3 pages), 0.1 none of 435 pages.
 */
export const ADDITION_SHARE = 0.05;

// facets.ts
/**
 * Lines. Fewer labels than this may be headings of sections that open.
 * Effect: 2 none, 8 -0.0000 (2 pages) of 435 pages.
 */
export const FACETS_MIN_LABELS = 4;
/**
 * Words. The label of a filter has at most as many.
 * Effect: 4 -0.0008 (5 pages), 16 none of 435 pages.
 */
export const FACETS_LABEL_WORDS = 8;

// frame.ts
/**
 * Share of the content. Parts that hold more of the content are the content, unless they are declared as parts of the frame.
 * Effect: 0.25 none, 1 +0.0000 (2 pages) of 435 pages.
 */
export const MOST_OF_CONTENT = 0.5;

// furniture.ts
/**
 * Words of prose. The box of an editor or a notice has fewer.
 * Effect: 40 -0.0001 (3 pages), 160 -0.0005 (1 page) of 435 pages.
 */
export const FURNITURE_BOX_WORDS = 80;
/**
 * Share of the prose. The box of an editor holds less.
 * Effect: 0.05 +0.0000 (2 pages), 0.2 +0.0002 (1 page) of 435 pages.
 */
export const EDITOR_SHARE = 0.1;
/**
 * Share of the prose. The box of a notice holds less.
 * Effect: none on 435 pages: kept as a bound.
 */
export const NOTICE_SHARE = 0.15;
/**
 * Share. Share of the words of the content in a box, at most.
 * Effect: 0.125 -0.0000 (2 pages), 0.5 none of 435 pages.
 */
export const BOX_SHARE = 0.25;
/**
 * Words. Text that may follow a copyright notice, whatever its share.
 * Effect: none on 435 pages: kept as a bound.
 */
export const FURNITURE_WORDS_AFTER = 40;
/**
 * Share of the content. Text that may follow a copyright notice.
 * Effect: 0.1 +0.0000 (1 page), 0.4 none of 435 pages.
 */
export const SHARE_AFTER = 0.2;
/**
 * Words. A notice has at most as many.
 * Effect: 30 -0.0000 (1 page), 120 none of 435 pages.
 */
export const NOTICE_WORDS = 60;
/**
 * Words. A line with a time alone has at most as many.
 * Effect: 6 -0.0000 (1 page), 24 none of 435 pages.
 */
export const TIME_WORDS = 12;

// heading-id.ts
/**
 * Letters. Text that an id with a prefix must contain.
 * Effect: none on 435 pages: kept as a bound.
 */
export const HEADING_ID_LETTERS = 16;
/**
 * Share of letters. Part of the text that a short id must have.
 * Effect: none on 435 pages: kept as a bound.
 */
export const HEADING_ID_SHARE = 0.6;

// lead.ts
/**
 * Elements. As many like boxes are a list of contributions.
 * Effect: 2 none, 6 +0.0001 (6 pages) of 435 pages.
 */
export const CONTRIBUTIONS = 3;
/**
 * Share of the content. The same boxes hold more.
 * Effect: 0.25 none, 1 +0.0000 (12 pages) of 435 pages.
 */
export const CONTRIBUTIONS_SHARE = 0.5;
/**
 * Ratio of words. A box around a lead has less than this many times its words.
 * Effect: 0.75 -0.0002 (8 pages), 3 +0.0000 (4 pages) of 435 pages.
 */
export const LEAD_BOX_RATIO = 1.5;
/**
 * Share of link text. A lead has less.
 * Effect: 0.125 +0.0000 (3 pages), 0.5 -0.0000 (1 page) of 435 pages.
 */
export const LEAD_DENSITY = 0.25;
/**
 * Words. A text of fewer words between the headline and the chosen element is a standfirst, a credit or a notice.
 * Effect: 13 +0.0016 (23 pages), 50 +0.0001 (12 pages) of 435 pages.
 */
export const LEAD_WORDS = 25;
/**
 * Words. The same where the chosen element is a list of contributions: then the short text is what they refer to.
 * Effect: 3 +0.0000 (2 pages), 12 +0.0000 (3 pages) of 435 pages.
 */
export const SUBJECT_WORDS = 6;
/**
 * Words. The same where the page has no headline, because credits and notices stand below one.
 * Effect: 6 -0.0000 (2 pages), 24 -0.0000 (3 pages) of 435 pages.
 */
export const BARE_LEAD_WORDS = 12;

// list-in-text.ts
/**
 * Share of link text. A paragraph next to a list with less is text.
 * Effect: 0.25 -0.0000 (1 page), 1 none of 435 pages.
 */
export const LIST_TEXT_DENSITY = 0.5;

// one-of-many.ts
/**
 * Share. Like siblings with this share of the words are the content, whatever their name is.
 * Effect: 0.25 -0.0009 (2 pages), 1 -0.0003 (5 pages) of 435 pages.
 */
export const ONE_OF_MANY_SHARE = 0.5;
/**
 * Share. The same in an article, which has other articles beside it.
 * Effect: 0.4 -0.0003 (11 pages), 0.9 +0.0000 (4 pages) of 435 pages.
 */
export const ARTICLE_SHARE = 0.8;
/**
 * Elements. As many like siblings are entries of a list.
 * Effect: 2 -0.0003 (8 pages), 6 -0.0000 (16 pages) of 435 pages.
 */
export const LEAST = 3;
/**
 * Words. Entries of fewer words, on average, are labels of a menu.
 * Effect: 6 -0.0004 (1 page), 24 +0.0000 (1 page) of 435 pages.
 */
export const ENTRY_WORDS = 12;
/**
 * Share. Words of a box around an entry, as a share of the words of the entry.
 * Effect: 0.6 +0.0000 (17 pages), 2.4 -0.0000 (8 pages) of 435 pages.
 */
export const WRAPPER_SHARE = 1.2;
/**
 * Share. Boxes with a larger share of link text are menus and teasers, which are content of a listing only.
 * Effect: 0.3 +0.0003 (8 pages), 0.8 +0.0000 (3 pages) of 435 pages.
 */
export const ONE_OF_MANY_LINK_SHARE = 0.6;

// one-text.ts
/**
 * Words. The one text of a page has as many.
 * Effect: 40 +0.0002 (1 page), 160 none of 435 pages.
 */
export const ONE_TEXT_TEXT_WORDS = 80;
/**
 * Words. The same on a page with a date of publication.
 * Effect: 20 none, 80 -0.0005 (1 page) of 435 pages.
 */
export const DATED_TEXT_WORDS = 40;
/**
 * Share of the paragraphs. The one text of a page holds as much.
 * Effect: 0.25 -0.0014 (4 pages), 1 -0.0013 (8 pages) of 435 pages.
 */
export const ONE_TEXT_TEXT_SHARE = 0.5;

// opening.ts
/**
 * Words. A shorter description may be that of the site. Words, since scripts differ in their letters per word.
 * Effect: none on 435 pages: kept as a bound.
 */
export const OPENING_MIN_WORDS = 6;
/**
 * Characters. Letters that are compared. Descriptions are cut off and differ in their end.
 * Effect: 20 none, 80 -0.0000 (1 page) of 435 pages.
 */
export const OPENING_LETTERS = 40;
/**
 * Share. Prose before the headline, as a share of the content, at most. A page with more of it starts with another text.
 * Effect: 0.15 -0.0002 (1 page), 0.6 none of 435 pages.
 */
export const BEFORE_SHARE = 0.3;

// other-products.ts
/**
 * Elements. As many like cards are a run of products.
 * Effect: 2 +0.0005 (2 pages), 6 -0.0002 (1 page) of 435 pages.
 */
export const OTHER_PRODUCTS_RUN_LENGTH = 3;
/**
 * Share. Share of the cards of a run that show a price.
 * Effect: none on 435 pages: kept as a bound.
 */
export const PRICED_SHARE = 0.6;
/**
 * Words. A card of another product is shorter than this.
 * Effect: 40 none, 160 +0.0005 (1 page) of 435 pages.
 */
export const CARD_WORDS = 80;
/**
 * Words. Most words of the heading above a run of products, and of the controls next to it.
 * Effect: 8 -0.0000 (1 page), 30 none of 435 pages.
 */
export const OTHER_PRODUCTS_LABEL_WORDS = 15;

// page-kind.ts
/**
 * Share. A page without one text and with less than this share of words outside links is a listing.
 * Effect: 0.225 +0.0000 (3 pages), 0.9 -0.0002 (2 pages) of 435 pages.
 */
export const LISTING_PROSE = 0.45;
/**
 * Share. A page that names a product without an offer and has a smaller share lists products.
 * Effect: 0.15 -0.0012 (1 page), 0.6 none of 435 pages.
 */
export const PRODUCT_PROSE = 0.3;
/**
 * Share. The same for a page of sections.
 * Effect: 0.375 +0.0005 (12 pages), 0.875 -0.0005 (13 pages) of 435 pages.
 */
export const SECTIONS_PROSE = 0.75;

// panel-label.ts
/**
 * Words. Words of the label of a panel. A shorter one is a command.
 * Effect: 2 -0.0000 (12 pages), 6 -0.0000 (9 pages) of 435 pages.
 */
export const PANEL_LABEL_LABEL_WORDS = 3;

// post-labels.ts
/**
 * Lines. As many equal short lines are labels of posts.
 * Effect: 2 +0.0001 (4 pages), 6 -0.0002 (11 pages) of 435 pages.
 */
export const POST_LABELS_MIN_LABELS = 3;
/**
 * Words. The label of a post has at most as many.
 * Effect: 4 -0.0002 (9 pages), 16 none of 435 pages.
 */
export const POST_LABELS_LABEL_WORDS = 8;
/**
 * Share. Share of prose in a conversation. A list of topics has less.
 * Effect: 0.2 none, 0.8 -0.0002 (4 pages) of 435 pages.
 */
export const POST_LABELS_PROSE_SHARE = 0.4;

// prose.ts
/**
 * Words. A line of prose has as many outside links.
 * Effect: 3 -0.0000 (7 pages), 12 -0.0014 (20 pages) of 435 pages.
 */
export const PROSE_WORDS = 6;
/**
 * Share of link text. A line of prose has less.
 * Effect: 0.25 -0.0000 (4 pages), 1 -0.0000 (3 pages) of 435 pages.
 */
export const PROSE_DENSITY = 0.5;
/**
 * Words. Minimum words of a line without punctuation that counts as a sentence.
 * Effect: 5 +0.0002 (16 pages), 20 -0.0013 (12 pages) of 435 pages.
 */
export const SENTENCE_WORDS = 10;

// quotations.ts
/**
 * Words. A post has more words than these beside what it quotes. Otherwise the quotation is the post.
 * Effect: 2 none, 6 -0.0000 (1 page) of 435 pages.
 */
export const OWN_WORDS = 3;
/**
 * Words. Words of the line that names the author of a quotation: "Ann wrote on May 2:".
 * Effect: 7 +0.0001 (1 page), 28 +0.0000 (1 page) of 435 pages.
 */
export const NAME_WORDS = 14;

// quoted-post.ts
/**
 * Share of link text. A post with a quotation has at most as much.
 * Effect: none on 435 pages: kept as a bound.
 */
export const POST_DENSITY = 0.3;
/**
 * Words. A quotation in a post has more.
 * Effect: none on 435 pages: kept as a bound.
 */
export const QUOTED_WORDS = 5;
/**
 * Words. A post has at most as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const POST_WORDS = 300;

// repeated-lines.ts
/**
 * Elements. As many like blocks are entries of a list.
 * Effect: 2 +0.0000 (24 pages), 6 -0.0007 (29 pages) of 435 pages.
 */
export const REPEATED_LINES_RUN_LENGTH = 3;
/**
 * Share. Share of the blocks that have the line.
 * Effect: 0.3 +0.0002 (32 pages), 0.8 -0.0002 (20 pages) of 435 pages.
 */
export const REPEATED_LINES_SHARE = 0.6;
/**
 * Words. A line that repeats in every entry has at most as many.
 * Effect: 3 -0.0002 (8 pages), 12 -0.0000 (1 page) of 435 pages.
 */
export const LINE_WORDS = 6;
/**
 * Words. A paragraph of more words is a short sentence.
 * Effect: 2 +0.0000 (3 pages), 8 +0.0001 (2 pages) of 435 pages.
 */
export const PARAGRAPH_WORDS = 4;
/**
 * Share. Share of prose in the posts of a conversation. The entries of a list of topics have less.
 * Effect: none on 435 pages: kept as a bound.
 */
export const REPEATED_LINES_PROSE_SHARE = 0.4;

// repeated-text.ts
/**
 * Words. A shorter line of a post may be a reply of its own.
 * Effect: 3 +0.0000 (4 pages), 10 +0.0000 (4 pages) of 435 pages.
 */
export const QUOTE_WORDS = 5;
/**
 * Words. A smaller box may belong to several parts of a page, such as a price with its terms.
 * Effect: 10 +0.0000 (12 pages), 40 +0.0000 (5 pages) of 435 pages.
 */
export const REPEATED_TEXT_BOX_WORDS = 20;
/**
 * Boxes. Boxes with equal counts that are compared by text.
 * Effect: 2 -0.0000 (1 page), 8 +0.0000 (2 pages) of 435 pages.
 */
export const BOXES_CAP = 4;
/**
 * Lines. A second copy that is marked up differently has as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const COPY_LINES = 10;
/**
 * Words. A second copy that is marked up differently has as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const COPY_WORDS = 150;
/**
 * Words. Lines of fewer words are not searched for their first copy.
 * Effect: none on 435 pages: kept as a bound.
 */
export const ANCHOR_WORDS = 4;
/**
 * Elements. Equal neighbours of one make, from this number on, are entries of a list.
 * Effect: 2 -0.0002 (6 pages), 8 +0.0000 (1 page) of 435 pages.
 */
export const EQUAL_ENTRIES = 4;

// second-text.ts
/**
 * Words. Words of prose in the box of the headline, at least. A page of sections has fewer below its first heading.
 * Effect: 40 -0.0028 (2 pages), 160 -0.0012 (1 page) of 435 pages.
 */
export const SECOND_TEXT_TEXT_WORDS = 80;

// site-blocks.ts
/**
 * Words. A shorter line may be a label that belongs to the content of every page, such as "Ingredients".
 * Effect: none on 435 pages: kept as a bound.
 */
export const SITE_BLOCKS_MIN_WORDS = 6;
/**
 * Share of the content. Repeated blocks with more words than this share of the content are its subject, such as on variants of one page.
 * Effect: none on 435 pages: kept as a bound.
 */
export const SHARE_CAP = 0.5;

// structured-body.ts
/**
 * Words. Pages with more visible words than this do not use structured data.
 * Effect: none on 435 pages: kept as a bound.
 */
export const VISIBLE_WORDS_CAP = 250;
/**
 * Ratio. Minimum ratio of structured to visible words.
 * Effect: none on 435 pages: kept as a bound.
 */
export const MIN_RATIO = 2;
/**
 * Words. A shorter body in structured data is not used.
 * Effect: none on 435 pages: kept as a bound.
 */
export const STRUCTURED_BODY_MIN_WORDS = 60;

// topic-labels.ts
/**
 * Entries. Entries of a list of topics, at least.
 * Effect: none on 435 pages: kept as a bound.
 */
export const MIN_ENTRIES = 5;
/**
 * Share. Share of the entries that have a headline, or a label of one make.
 * Effect: 0.3 none, 0.8 -0.0002 (1 page) of 435 pages.
 */
export const TOPIC_LABELS_SHARE = 0.6;
/**
 * Share. Share of prose in a list of topics, at most. The posts of a conversation have more.
 * Effect: none on 435 pages: kept as a bound.
 */
export const TOPIC_LABELS_PROSE_SHARE = 0.4;
/**
 * Words. The label of a topic has at most as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const TOPIC_LABELS_LABEL_WORDS = 8;
/**
 * Words. The headline of a topic has as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const HEADLINE_WORDS = 2;
/**
 * Characters. A counter of replies or views has at most as many.
 * Effect: none on 435 pages: kept as a bound.
 */
export const COUNTER_CHARS = 12;

// Bounds
// closing-note.ts
/** Characters. Start of a line that is compared. */
export const CLOSING_NOTE_LINE_CHARS = 120;

// declared-article.ts
/** Properties whose items are examined. */
export const PROPERTIES_CAP = 200;

// end-of-content.ts
/** Levels below the chosen element that are searched for additions. Bounds the cost of deep pages. */
export const END_OF_CONTENT_LEVELS = 16;

// furniture.ts
/** Levels. Ancestors that may be the box of an element. */
export const FURNITURE_LEVELS = 16;
/** Elements. Editors of a page that are examined. */
export const EDITORS_CAP = 8;

// heading-id.ts
/** Characters. Start of the text of a heading that is compared with its id. */
export const HEADING_ID_LINE_CHARS = 200;

// lead.ts
/** Headings of the first level that are compared with the title. */
export const LEAD_HEADINGS_CAP = 200;
/** Levels above the chosen element that are searched for a lead where the page has no headline. */
export const LEAD_LEVELS = 2;

// list-in-text.ts
/** Elements. Siblings that are searched for the neighbours of a list. */
export const LIST_IN_TEXT_SIBLINGS_CAP = 2_000;

// one-of-many.ts
/** Elements. Siblings that are compared. */
export const ONE_OF_MANY_SIBLINGS_CAP = 500;

// opening.ts
/** Characters. Start of a line that is compared with the description. */
export const OPENING_LINE_CHARS = 160;

// other-products.ts
/** Characters. Text of a card that is searched for a price. */
export const OTHER_PRODUCTS_LINE_CHARS = 600;
/** Elements. Siblings that are searched for a run. */
export const OTHER_PRODUCTS_SIBLINGS_CAP = 500;

// panel-label.ts
/** Levels. Boxes around a button that hold nothing else. */
export const WRAPPERS = 3;
/** Elements. Siblings that are searched for the label of a panel. */
export const PANEL_LABEL_SIBLINGS_CAP = 500;

// quotations.ts
/** Characters. Start of a line that may name the author of a quotation. */
export const QUOTATIONS_LINE_CHARS = 160;

// quoted-post.ts
/** Elements. A text with more parts is no post. */
export const QUOTED_POST_SIBLINGS_CAP = 2_000;

// repeated-lines.ts
/** Characters. Start of a line that is compared. */
export const REPEATED_LINES_LINE_CHARS = 80;
/** Levels below a block that are searched for its lines. Bounds the cost of blocks nested in like blocks. */
export const REPEATED_LINES_LEVELS = 12;

// repeated-text.ts
/** Characters. Start of the text of a box that is compared. */
export const TEXT_CHARS = 4_000;

// second-text.ts
/** Headings of the first level that are compared. */
export const SECOND_TEXT_HEADINGS_CAP = 50;

// site-blocks.ts
/** Blocks at the start of a page whose keys are returned. */
export const FIRST_BLOCKS = 24;
/** Blocks at the end of a page whose keys are returned. */
export const LAST_BLOCKS = 40;
/** Characters. Start of a block that makes its key. */
export const BLOCK_CHARS = 400;

// structured-body.ts
/** Characters. Body in structured data that is read. */
export const CHARS_CAP = 200_000;

// topic-labels.ts
/** Levels below an entry that are searched for its lines. */
export const TOPIC_LABELS_LEVELS = 12;
/** Elements. Siblings that are searched for a list of topics. */
export const TOPIC_LABELS_SIBLINGS_CAP = 2_000;
/** Bytes. Size of the key of a block of a site. */
export const KEY_BYTES = 4;
