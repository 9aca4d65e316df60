/**
 * What a terminal obeys, and what makes a reader take a text for another: controls, beside tab and line breaks, and what
 * turns the direction of a text.
 */
const controls = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** The first of them in a text; undefined where it has none. */
export const controlIn = (text: string): string | undefined => text.match(controls)?.[0];

/** A stranger's text as it may be shown. */
export const withoutControls = (text: string): string => text.replace(controls, '');
