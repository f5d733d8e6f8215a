/** What every row migrates from and to: managers of {@link FROM}, API server and what comes after of {@link TO}. */
export const FROM = '1.29.15';
export const TO = '1.30.14';
