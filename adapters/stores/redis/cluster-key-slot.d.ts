declare module 'cluster-key-slot' {
  /** The slot of a Cluster that a key is in. */
  const keySlot: (key: string) => number;
  export = keySlot;
}
