// Imports a peer's package. Copied beside the packages that npm has installed, since Node looks for them from the file that asks.
export const load = (name) => import(name);
