/** One column of the grid, in units of the drawing. */
export const COLUMN = 40;

/** One row of the grid, in the same units. */
export const ROW = 26;
