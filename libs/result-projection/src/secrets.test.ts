import { describe, expect, it } from "vitest"
import { looksSecret } from "./secret-keys.ts"
import { withoutUrlSecrets, withoutUserInfo } from "./url-secrets.ts"

describe("keys that look secret", () => {
  it.each([
    "authorization", "Authorization", "proxy-authorization", "cookie", "Set-Cookie", "setcookie", "credential", "credentials",
    "awsCredentials", "password", "Password", "PASSWORD", "PGPASSWORD", "userPassword", "passwordHash", "pAsSwOrD", "passwd",
    "secret", "clientSecret", "CLIENT_SECRET", "secretKey", "secrets", "token", "accessToken", "ACCESS_TOKEN", "access-token",
    "accesstoken", "tokens", "npm_token", "apiKey", "APIKey", "api_key", "API_KEY", "x-api-key", "apikey", "ApIkEy", "apiKeys",
    "privateKey", "private_key", "PRIVATE KEY", "privatekey", "openaiApiKey2"
  ])("%s", (key) => {
    expect(looksSecret(key)).toBe(true)
  })

  it.each(["key", "keys", "monkey", "keyboard", "tokenizer", "secretary", "author", "authorized", "path", "passed", "privateField", "api", "cookiecutter", "id", ""])(
    "not %j",
    (key) => {
      expect(looksSecret(key)).toBe(false)
    }
  )
})

describe("URLs", () => {
  it.each([
    ["https://user:pw@host/x", "https://host/x"],
    ["git clone https://tok@host/r.git && ls", "git clone https://host/r.git && ls"],
    ["postgres://u:p@ss@host/db", "postgres://host/db"],
    ["mail me@host or see https://host/@me", "mail me@host or see https://host/@me"],
    ["https://a@b https://c@d", "https://b https://d"]
  ])("%s loses its user info", (text, without) => {
    expect(withoutUserInfo(text)).toBe(without)
  })

  it.each([
    ["https://h/?token=a&x=1", "https://h/?token=…&x=1"],
    ["https://h/?X-Amz-Signature=a&Expires=2", "https://h/?X-Amz-Signature=…&Expires=2"],
    ["https://h/?api%5Fkey=a#access_token=b", "https://h/?api%5Fkey=…#access_token=…"],
    ["https://h/?%zz=a&password=b", "https://h/?%zz=a&password=…"],
    ["a?b:c=d", "a?b:c=d"]
  ])("%s loses secret-looking values", (text, without) => {
    expect(withoutUrlSecrets(text)).toBe(without)
  })

  it("does not slow down on text that only begins like one", () => {
    const hostile = `${"://".repeat(50_000)}${"?a".repeat(50_000)}${"@".repeat(50_000)}`
    expect(withoutUrlSecrets(hostile)).toHaveLength(withoutUrlSecrets(hostile).length)
  })
})
