/** A command that was called wrongly: the process ends with its own exit code. The message says what to do. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Misuse';
  }
}
