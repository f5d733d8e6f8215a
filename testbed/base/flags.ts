/** Reads values of command line flags; `refuse` makes the error that says what is wrong with one. */
export interface FlagReader {
  readonly whole: (flag: string, text: string, least: number, most: number) => number;
  readonly oneOf: <T extends string>(flag: string, text: string, choices: readonly T[]) => T;
}

export function flagReader(refuse: (message: string) => Error): FlagReader {
  return {
    whole: (flag, text, least, most) => {
      const value = Number(text);
      if (text !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
      throw refuse(`--${flag} must be a whole number from ${least} to ${most}, not "${text}"`);
    },
    oneOf: (flag, text, choices) => {
      const found = choices.find((choice) => choice === text);
      if (found !== undefined) return found;
      throw refuse(`--${flag} must be one of ${choices.join(', ')}, not "${text}"`);
    },
  };
}
