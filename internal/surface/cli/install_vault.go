package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"unicode/utf8"

	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/text/visible"
)

// pickVault asks which vault of a list to use. An empty answer means the usual one, if there is one.
func (i *installer) pickVault(vaults []install.Vault, usual int) (folder string, err error) {
	i.listVaults(vaults)
	question, otherwise := "Which vault? A number, or q to leave: ", ""
	if usual >= 0 {
		otherwise = strconv.Itoa(usual + 1)
		question = fmt.Sprintf("Which vault? A number, or q to leave [%s]: ", otherwise)
	}
	err = i.askFor(question, func(answer string) error {
		answer = cmp.Or(answer, otherwise)
		number, err := strconv.Atoi(answer)
		if err != nil || number < 1 || number > len(vaults) {
			return fmt.Errorf("'%s' is not in the list: answer with a number from 1 to %d",
				visible.Name(answer), len(vaults))
		}
		folder = vaults[number-1].Path
		return vaults[number-1].Check()
	})
	return folder, err
}

// listVaults shows vaults with their numbers.
func (i *installer) listVaults(vaults []install.Vault) {
	widest := 0
	for _, vault := range vaults {
		widest = max(widest, utf8.RuneCountInString(visible.Name(vault.Name)))
	}
	for n, vault := range vaults {
		fmt.Fprintf(i.program.Err, "%d  %-*s  %s%s\n",
			n+1, widest, visible.Name(vault.Name), visible.Name(vault.Path), vault.Remark())
	}
}
