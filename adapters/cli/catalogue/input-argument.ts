/** The argument of commands that read input files. */
export const inputArgument = ['<path...>', 'folders and files: artists, history and labels, .json or .ndjson'] as const;
