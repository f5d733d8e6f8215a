/** The versions of every row: managers start at {@link FROM}; the API server and the target managers are {@link TO}. */
export const FROM = '1.29.15';
export const TO = '1.30.14';
