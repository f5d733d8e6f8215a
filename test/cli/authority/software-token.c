/*
 * A FIDO token in software, as OpenSSH loads one (its PROTOCOL.u2f and sk-api.h, version 10): so that its agent signs as with a
 * token that someone touches. The key handle is the private key itself. For tests alone.
 */
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION 0x000a0000
#define ED25519 1
#define USER_PRESENT 1
#define FAILED -1
#define KEY_BYTES 32
#define SIG_BYTES 64

struct sk_option;

struct sk_enroll_response {
	uint8_t flags;
	uint8_t *public_key;
	size_t public_key_len;
	uint8_t *key_handle;
	size_t key_handle_len;
	uint8_t *signature;
	size_t signature_len;
	uint8_t *attestation_cert;
	size_t attestation_cert_len;
	uint8_t *authdata;
	size_t authdata_len;
};

struct sk_sign_response {
	uint8_t flags;
	uint32_t counter;
	uint8_t *sig_r;
	size_t sig_r_len;
	uint8_t *sig_s;
	size_t sig_s_len;
};

uint32_t sk_api_version(void) { return API_VERSION; }

int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application, uint8_t flags,
    const char *pin, struct sk_option **options, struct sk_enroll_response **out)
{
	EVP_PKEY *key = alg == ED25519 ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") : NULL;
	struct sk_enroll_response *made = calloc(1, sizeof(*made));
	if (key == NULL || made == NULL)
		return FAILED;
	made->flags = flags;
	made->public_key_len = made->key_handle_len = KEY_BYTES;
	made->public_key = malloc(KEY_BYTES);
	made->key_handle = malloc(KEY_BYTES);
	made->signature = calloc(1, SIG_BYTES);
	made->signature_len = SIG_BYTES;
	EVP_PKEY_get_raw_public_key(key, made->public_key, &made->public_key_len);
	EVP_PKEY_get_raw_private_key(key, made->key_handle, &made->key_handle_len);
	EVP_PKEY_free(key);
	*out = made;
	return 0;
}

int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application, const uint8_t *key_handle,
    size_t key_handle_len, uint8_t flags, const char *pin, struct sk_option **options, struct sk_sign_response **out)
{
	uint8_t signs[SHA256_DIGEST_LENGTH * 2 + 5];
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, key_handle, key_handle_len);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	struct sk_sign_response *made = calloc(1, sizeof(*made));
	if (key == NULL || context == NULL || made == NULL)
		return FAILED;
	/* A token whose key was made with no-touch-required does not say that someone was there. */
	made->flags = flags & USER_PRESENT;
	made->counter = 7;
	SHA256((const uint8_t *)application, strlen(application), signs);
	memcpy(signs + SHA256_DIGEST_LENGTH, (uint8_t[]){made->flags, 0, 0, 0, 7}, 5);
	SHA256(data, data_len, signs + SHA256_DIGEST_LENGTH + 5);
	made->sig_r_len = SIG_BYTES;
	made->sig_r = malloc(SIG_BYTES);
	EVP_DigestSignInit(context, NULL, NULL, NULL, key);
	int is_signed = EVP_DigestSign(context, made->sig_r, &made->sig_r_len, signs, sizeof(signs));
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
	*out = made;
	return is_signed == 1 ? 0 : FAILED;
}

int sk_load_resident_keys(const char *pin, struct sk_option **options, void ***keys, size_t *count)
{
	*keys = NULL;
	*count = 0;
	return FAILED;
}
