/** Who changes something, when and why. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  /** The command, like `keys issue`. */
  readonly action: string;
  readonly reason: string | undefined;
}

/** What was changed, and the stored members that differ. Never a key's text or hash. */
export interface AuditedChange {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  readonly after?: Readonly<Record<string, unknown>> | undefined;
}

export type AuditRecord = AuditEntry & AuditedChange;

export interface AuditQuestion {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** The most records to return; the newest are. */
  readonly limit: number;
}
