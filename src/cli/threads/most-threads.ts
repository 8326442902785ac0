/** More than so many threads wait for the one that hands out the work. */
export const MOST_THREADS = 4;
