// Command bot is Atelier: say what you want done with your pictures, sound and video, and it finds the
// tools, runs them and reports what it did.
package main

import "atelier/bot/cli"

func main() { cli.Main() }
