/** One column of the grid, in units of the drawing. */
export const COLUMN = 40;

/** The same where two drawings stand side by side, so that their text has the size of other text. */
export const NARROW_COLUMN = 22;

/** One row of the grid, in the same units. */
export const ROW = 26;
